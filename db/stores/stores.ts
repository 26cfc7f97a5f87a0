/** All stores over one `Db`. Inside `transaction` the same stores run on one open transaction. */
import { GuardedSource } from '../postgres/precondition.js';
import { ScopedSource } from '../postgres/scoped-source.js';
import type { RequestScope, Database, Db, Source, TransactionOptions } from '../postgres/contracts.js';
import { Lists } from '../query/lists.js';
import type { ListLimits } from '../query/lists.js';
import { administratorStore } from './administrators.js';
import { accessView } from './access-view.js';
import { adviceView } from './advice-view.js';
import type { Actor } from '../postgres/attribution.js';
import { apiSessionCertificateStore } from './api-session-certificates.js';
import { apiSessionStore } from './api-sessions.js';
import { auditRecordStore } from './audit-records.js';
import { authPolicyStore } from './auth-policies.js';
import { authRequestStore } from './auth-requests.js';
import { authenticatorStore } from './authenticators.js';
import { caStore } from './cas.js';
import { circuitStore } from './circuits.js';
import { connectedIdentityStore } from './connected-identities.js';
import { configTypeStore } from './config-types.js';
import { configStore } from './configs.js';
import { controllerSettingStore } from './controller-settings.js';
import { controllerListStore } from './controller-list.js';
import { controllerStore } from './controllers.js';
import { edgeRouterPolicyStore } from './edge-router-policies.js';
import { enrollmentStore } from './enrollments.js';
import { explainView } from './explain-view.js';
import { eventStore } from './event-batches.js';
import { externalJwtSignerStore } from './external-jwt-signers.js';
import { failedRequestStore } from './failed-requests.js';
import { fabricServiceStore } from './fabric-services.js';
import { fabricTerminatorStore } from './fabric-terminators.js';
import { hostedTerminatorStore } from './hosted-terminators.js';
import { identityStore } from './identities.js';
import { identityServiceConfigStore } from './identity-service-configs.js';
import { identityTraceStore } from './identity-traces.js';
import { identityTypeStore } from './identity-types.js';
import { integrityStore } from './integrity.js';
import { issuedCertificateStore } from './issued-certificates.js';
import { inspectionStore } from './inspections.js';
import { linkStore } from './links.js';
import { loginStore } from './logins.js';
import { mfaStore } from './mfas.js';
import { networkStore } from './network.js';
import { networkAccessView } from './network-access-view.js';
import { networkOverviewStore } from './network-overview.js';
import { quiescedRouterStore } from './quiesced-routers.js';
import { referenceStore } from './references.js';
import { revocationStore } from './revocations.js';
import { routerAccessView } from './router-access-view.js';
import { routerChannelStore } from './router-channels.js';
import { clientEndStore } from './client-ends.js';
import { clientReachView } from './client-reaches.js';
import { routerModelView } from './router-models.js';
import { routerSyncView } from './router-sync-view.js';
import { shownSessionStore } from './shown-sessions.js';
import { routerStore } from './routers.js';
import { serviceEdgeRouterPolicyStore } from './service-edge-router-policies.js';
import { postureCheckStore } from './posture-checks.js';
import { postureStore } from './postures.js';
import { roleAttributeStore } from './role-attributes.js';
import { servicePolicyStore } from './service-policies.js';
import { serviceStore } from './services.js';
import { sessionStore } from './sessions.js';
import { terminatorCostStore } from './terminator-costs.js';
import { terminatorStore } from './terminators.js';
import { summaryStore } from './summary.js';
import { tokenFamilyStore } from './token-families.js';
import { unusedView } from './unused-view.js';
import { usageStore } from './usage.js';
import { usedTokenStore } from './used-tokens.js';
import { webhookStore } from './webhooks.js';

const STORES = {
  access: accessView,
  administrators: administratorStore,
  advice: adviceView,
  apiSessionCertificates: apiSessionCertificateStore,
  apiSessions: apiSessionStore,
  auditRecords: auditRecordStore,
  authPolicies: authPolicyStore,
  authRequests: authRequestStore,
  authenticators: authenticatorStore,
  cas: caStore,
  circuits: circuitStore,
  connectedIdentities: connectedIdentityStore,
  configTypes: configTypeStore,
  configs: configStore,
  controllerList: controllerListStore,
  controllerSettings: controllerSettingStore,
  controllers: controllerStore,
  edgeRouterPolicies: edgeRouterPolicyStore,
  enrollments: enrollmentStore,
  events: eventStore,
  explain: explainView,
  externalJwtSigners: externalJwtSignerStore,
  hostedTerminators: hostedTerminatorStore,
  identities: identityStore,
  identityServiceConfigs: identityServiceConfigStore,
  identityTraces: identityTraceStore,
  identityTypes: identityTypeStore,
  integrity: integrityStore,
  issuedCertificates: issuedCertificateStore,
  links: linkStore,
  logins: loginStore,
  mfas: mfaStore,
  network: networkStore,
  networkAccess: networkAccessView,
  networkOverview: networkOverviewStore,
  quiescedRouters: quiescedRouterStore,
  references: referenceStore,
  revocations: revocationStore,
  routerAccess: routerAccessView,
  routerChannels: routerChannelStore,
  clientEnds: clientEndStore,
  clientReaches: clientReachView,
  routerModels: routerModelView,
  routerSync: routerSyncView,
  shownSessions: shownSessionStore,
  routers: routerStore,
  serviceEdgeRouterPolicies: serviceEdgeRouterPolicyStore,
  postureChecks: postureCheckStore,
  postures: postureStore,
  failedRequests: failedRequestStore,
  roleAttributes: roleAttributeStore,
  servicePolicies: servicePolicyStore,
  services: serviceStore,
  sessions: sessionStore,
  inspections: inspectionStore,
  fabricServices: fabricServiceStore,
  fabricTerminators: fabricTerminatorStore,
  terminatorCosts: terminatorCostStore,
  terminators: terminatorStore,
  summary: summaryStore,
  tokenFamilies: tokenFamilyStore,
  unused: unusedView,
  usage: usageStore,
  usedTokens: usedTokenStore,
  webhooks: webhookStore,
} satisfies Record<string, (db: Db, lists: Lists) => object>;

type Makers = typeof STORES;

export type StoreSet = { readonly [K in keyof Makers]: ReturnType<Makers[K]> };

/** Makes each store when it is first asked for: a request or a transaction needs few of them. */
class MadeStores {
  readonly #made: Record<string, object> = {};

  constructor(
    readonly db: Db,
    readonly lists: Lists,
  ) {}

  made(name: keyof Makers): object {
    return (this.#made[name] ??= STORES[name](this.db, this.lists));
  }
}
for (const name of Object.keys(STORES) as (keyof Makers)[]) {
  Object.defineProperty(MadeStores.prototype, name, {
    get(this: MadeStores) {
      return this.made(name);
    },
  });
}

/** Stores with the getters defined above. */
const StoresOn = MadeStores as new (db: Db, lists: Lists) => MadeStores & StoreSet;

export interface Stores extends StoreSet {
  /** One mutating operation is one transaction: all of `work` is committed, or none of it. */
  transaction<T>(work: (stores: StoreSet) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The same for work that begins transactions of its own: they are parts of this one. */
  within<T>(work: (stores: Stores) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The one for whom the changes of the request are recorded; absent outside of one. */
  readonly actor: Actor | undefined;
  /** The same stores for one request. */
  forRequest(scope: RequestScope): Stores;
  /**
   * When the work of a request with a precondition is done, so that it also holds where nothing had to be changed.
   * @throws DomainError `preconditionFailed`
   */
  settle(): Promise<void>;
}

/** Stores of an open transaction. */
class InnerStores extends StoresOn implements Stores {
  readonly actor = undefined;

  transaction<T>(work: (stores: StoreSet) => Promise<T>): Promise<T> {
    return work(this);
  }

  within<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    return work(this);
  }

  forRequest(): Stores {
    return this;
  }

  /** A precondition is of one request alone. */
  settle(): Promise<void> {
    return Promise.resolve();
  }
}

class SourceStores extends StoresOn implements Stores {
  constructor(
    readonly database: Database,
    lists: Lists,
    readonly source: Source = database,
    readonly actor: Actor | undefined = undefined,
  ) {
    super(source, lists);
  }

  transaction<T>(work: (stores: StoreSet) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.source.transaction((tx) => work(new StoresOn(tx, this.lists)), options);
  }

  within<T>(work: (stores: Stores) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.source.transaction((tx) => work(new InnerStores(tx, this.lists)), options);
  }

  forRequest(scope: RequestScope): Stores {
    const { precondition } = scope;
    const scoped =
      precondition === undefined
        ? new ScopedSource(this.database, scope)
        : new GuardedSource(this.database, scope, precondition);
    return new SourceStores(this.database, this.lists, scoped, scope.actor);
  }

  async settle(): Promise<void> {
    if (this.source instanceof GuardedSource) await this.source.settle();
  }
}

export function openStores(database: Database, limits: ListLimits): Stores {
  return new SourceStores(database, new Lists(limits));
}
