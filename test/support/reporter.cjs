// Mocha's spec reporter, closed by one line that counts: "123 passed, 0 failed". In a run of several processes, where
// EDGE_TEST_RESULT names a file, what each file of tests came to goes there instead, for one line of all.
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');
const { reporters, Runner } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.EDGE_TEST_RESULT;
    /** By file: what its tests came to, and the seconds of all that its suites do. What belongs to none is ours. */
    const files = {};
    const at = (of) => {
      const name = of === undefined ? String(file) : relative(process.cwd(), of);
      return (files[name] ??= { passes: 0, pending: 0, failures: [], seconds: 0 });
    };
    let since = Date.now();
    const measure = ({ file: of }) => {
      const now = Date.now();
      at(of).seconds += (now - since) / 1000;
      since = now;
    };
    const { EVENT_HOOK_END, EVENT_TEST_END, EVENT_TEST_PASS, EVENT_TEST_PENDING, EVENT_TEST_FAIL, EVENT_RUN_END } =
      Runner.constants;
    for (const event of [EVENT_HOOK_END, EVENT_TEST_END]) runner.on(event, measure);
    runner.on(EVENT_TEST_PASS, (test) => (at(test.file).passes += 1));
    runner.on(EVENT_TEST_PENDING, (test) => (at(test.file).pending += 1));
    runner.on(EVENT_TEST_FAIL, (test, error) =>
      at(test.file).failures.push({ title: test.fullTitle(), error: error.message }),
    );
    runner.once(EVENT_RUN_END, () => {
      if (file !== undefined) {
        writeFileSync(file, JSON.stringify({ files }));
        return;
      }
      const { passes = 0, failures = 0, pending = 0 } = this.stats;
      process.nextTick(() =>
        process.stdout.write(`\n${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`),
      );
    });
  }
};
