/** Settings of HTTP itself. Part of the table in config.ts. */
import { duration, parseFlag, setting } from './setting-kinds.js';

/** Two years. */
const MAX_HSTS_SECONDS = 63_072_000;
/** Thirty days: what a browser keeps of a mistake, such as another service on this host that has no HTTPS. */
const HSTS_SECONDS = 2_592_000;

export const HTTP = {
  compression: setting(
    'http.compression',
    'EDGE_HTTP_COMPRESSION',
    parseFlag,
    true,
    'Whether answers over 1 KiB are compressed for clients that ask for it. Answers that hand out a token or a ' +
      'secret never are.',
  ),
  hsts: setting(
    'http.hsts',
    'EDGE_HTTP_HSTS',
    duration(0, MAX_HSTS_SECONDS),
    HSTS_SECONDS,
    'How long browsers remember to reach this host by HTTPS alone, on all its ports (Strict-Transport-Security); 0s: ' +
      'they forget it. Browsers heed it only where they trust the certificate, and never for an address.',
  ),
};
