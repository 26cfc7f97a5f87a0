// Dredd loads hooks with `require`; ours are an ES module of the build, whose address the suite hands over.
const hooks = require('hooks');

const module_ = import(process.env.EDGE_CONTRACT_HOOKS);
const failWith = (transaction, done) => (error) => {
  transaction.fail = error.stack;
  done();
};

hooks.beforeEach((transaction, done) => {
  module_.then(({ prepare }) => prepare(transaction)).then(() => done(), failWith(transaction, done));
});
hooks.afterEach((transaction, done) => {
  module_.then(({ record }) => record(transaction)).then(() => done(), failWith(transaction, done));
});
hooks.afterAll((transactions, done) => {
  module_
    .then(({ close }) => close())
    .then(
      () => done(),
      () => done(),
    );
});
