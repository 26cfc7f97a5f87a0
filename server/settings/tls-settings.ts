/** Settings of keys and of the server certificate. Part of the table in config.ts. */
import { parseKeyKind } from '../../domain/pki/keys.js';
import { parseHost } from '../../domain/pki/server-name.js';
import { duration, listSetting, parseText, setting } from './setting-kinds.js';

export const TLS = {
  tlsKey: setting(
    'tls.key',
    'EDGE_TLS_KEY',
    (value) => parseKeyKind(parseText(value)),
    'ec-p256' as const,
    'Kind of the keys made at the first start: ec-p256, rsa-2048, rsa-3072 or rsa-4096.',
  ),
  tlsNames: setting(
    'tls.names',
    'EDGE_TLS_NAMES',
    listSetting((value) => parseHost(parseText(value))),
    [] as readonly string[],
    'Further host names and addresses for the server certificate.',
  ),
  tlsRouterNames: setting(
    'tls.routerNames',
    'EDGE_TLS_ROUTER_NAMES',
    listSetting((value) => parseHost(parseText(value))),
    [] as readonly string[],
    'Names and addresses of controllers that routers may have in their certificates, too: for machines that are ' +
      'reached under one name. A router that has one can pass for the controller there. The same on all controllers.',
  ),
  tlsRenewalCheck: setting(
    'tls.renewalCheck',
    'EDGE_TLS_RENEWAL_CHECK',
    duration(0.1, 604_800),
    3600,
    'How often a running controller looks whether its certificate is due for renewal, or was renewed by another one.',
  ),
};
