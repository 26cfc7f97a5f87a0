/** All stores over one `Db`. Inside `transaction` the same stores run on one open transaction. */
import type { Database, Db } from './db.js';
import { Lists } from './table.js';
import type { ListLimits } from './table.js';
import { accessView } from './access-view.js';
import { adviceView } from './advice-view.js';
import { apiSessionCertificateStore } from './api-session-certificates.js';
import { apiSessionStore } from './api-sessions.js';
import { authPolicyStore } from './auth-policies.js';
import { authenticatorStore } from './authenticators.js';
import { caStore } from './cas.js';
import { configTypeStore } from './config-types.js';
import { configStore } from './configs.js';
import { controllerStore } from './controllers.js';
import { edgeRouterPolicyStore } from './edge-router-policies.js';
import { enrollmentStore } from './enrollments.js';
import { identityStore } from './identities.js';
import { identityServiceConfigStore } from './identity-service-configs.js';
import { identityTypeStore } from './identity-types.js';
import { issuedCertificateStore } from './issued-certificates.js';
import { loginStore } from './logins.js';
import { networkStore } from './network.js';
import { routerAccessView } from './router-access-view.js';
import { routerStore } from './routers.js';
import { serviceEdgeRouterPolicyStore } from './service-edge-router-policies.js';
import { postureCheckStore } from './posture-checks.js';
import { roleAttributeStore } from './role-attributes.js';
import { servicePolicyStore } from './service-policies.js';
import { serviceStore } from './services.js';
import { sessionStore } from './sessions.js';
import { terminatorStore } from './terminators.js';
import { summaryStore } from './summary.js';

function storesOn(db: Db, lists: Lists) {
  return {
    access: accessView(db),
    advice: adviceView(db),
    apiSessionCertificates: apiSessionCertificateStore(db, lists),
    apiSessions: apiSessionStore(db, lists),
    authPolicies: authPolicyStore(db),
    authenticators: authenticatorStore(db, lists),
    cas: caStore(db, lists),
    configTypes: configTypeStore(db, lists),
    configs: configStore(db, lists),
    controllers: controllerStore(db, lists),
    edgeRouterPolicies: edgeRouterPolicyStore(db, lists),
    enrollments: enrollmentStore(db, lists),
    identities: identityStore(db, lists),
    identityServiceConfigs: identityServiceConfigStore(db, lists),
    identityTypes: identityTypeStore(db, lists),
    issuedCertificates: issuedCertificateStore(db),
    logins: loginStore(db),
    network: networkStore(db),
    routerAccess: routerAccessView(db),
    routers: routerStore(db, lists),
    serviceEdgeRouterPolicies: serviceEdgeRouterPolicyStore(db, lists),
    postureChecks: postureCheckStore(db, lists),
    roleAttributes: roleAttributeStore(db, lists),
    servicePolicies: servicePolicyStore(db, lists),
    services: serviceStore(db, lists),
    sessions: sessionStore(db, lists),
    terminators: terminatorStore(db, lists),
    summary: summaryStore(db),
  };
}

export type StoreSet = ReturnType<typeof storesOn>;

export interface Stores extends StoreSet {
  /** One mutating operation is one transaction: all of `work` is committed, or none of it. */
  transaction<T>(work: (stores: StoreSet) => Promise<T>): Promise<T>;
}

export function openStores(database: Database, limits: ListLimits): Stores {
  const lists = new Lists(limits);
  return {
    ...storesOn(database, lists),
    transaction: (work) => database.transaction((tx) => work(storesOn(tx, lists))),
  };
}
