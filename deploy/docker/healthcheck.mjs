// Ends with 0 when the controller in this container is ready, else with 1 and a line that says why. It asks the port
// that the controller listens on; HEALTH_PATH=/livez asks only whether the process answers.
import { get } from 'node:https';

const { EDGE_LISTEN = '', ZITI_CTRL_EDGE_ADVERTISED_PORT, ZITI_CTRL_ADVERTISED_PORT, HEALTH_PATH } = process.env;
const port = Number(
  /:(\d+)$/.exec(EDGE_LISTEN)?.[1] || ZITI_CTRL_EDGE_ADVERTISED_PORT || ZITI_CTRL_ADVERTISED_PORT || 1280,
);
const given = EDGE_LISTEN.replace(/:\d+$/, '').replace(/[[\]]/g, '');
const host = ['', '0.0.0.0', '::'].includes(given) ? (given === '::' ? '::1' : '127.0.0.1') : given;

const fail = (why) => {
  console.error(why);
  process.exitCode = 1;
};
// The certificate is for the advertised name, and this is a question to ourselves.
const request = get(
  { host, port, path: HEALTH_PATH || '/readyz', rejectUnauthorized: false, timeout: 4000, agent: false },
  (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () => {
      if (response.statusCode !== 200) fail(`${response.statusCode}: ${text.trim()}`);
    });
  },
);
request.on('timeout', () => request.destroy(new Error('no answer within 4 s')));
request.on('error', (error) => fail(error.message || error.code));
