// Generated from specs/ by scripts/generate. Do not edit.

import type * as Request from './request.js';
import type * as Response from './response.js';

/** What each operation takes and may answer, by operationId. */
export interface Operations {
  /** Start a data integrity check */
  checkDataIntegrity: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      202: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the controllers */
  clusterListMembers: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.ClusterMemberListResponse;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Add a controller */
  clusterMemberAdd: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.ClusterMemberAdd;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Remove a controller */
  clusterMemberRemove: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.ClusterMemberRemove;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Have another controller lead */
  clusterTransferLeadership: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.ClusterTransferLeadership;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Take a snapshot of the database */
  createDatabaseSnapshot: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Take a snapshot and learn its path */
  createDatabaseSnapshotWithPath: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.DatabaseSnapshotCreate;
    responses: {
      200: Response.DatabaseSnapshotCreateResultEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a router */
  createRouter: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.RouterCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a service */
  createService: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.ServiceCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Create a terminator */
  createTerminator: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.TerminatorCreate;
    responses: {
      201: Response.CreateEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Results of the data integrity check */
  dataIntegrityResults: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DataIntegrityCheckResultEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** End a circuit */
  deleteCircuit: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.CircuitDelete | undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a link */
  deleteLink: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a router */
  deleteRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a service */
  deleteService: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Delete a terminator */
  deleteTerminator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a circuit */
  detailCircuit: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailCircuitEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a link */
  detailLink: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailLinkEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a router */
  detailRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailRouterEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a service */
  detailService: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailServiceEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Read a terminator */
  detailTerminator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: undefined;
    responses: {
      200: Response.DetailTerminatorEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Start a data integrity check that repairs */
  fixDataIntegrity: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: undefined;
    responses: {
      202: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Look into routers and controllers */
  inspect: {
    permission: 'admin';
    params: {};
    query: {};
    headers: {};
    body: Request.InspectRequest;
    responses: {
      200: Response.InspectResponse;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List circuits */
  listCircuits: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListCircuitsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List links */
  listLinks: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListLinksEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the terminators of a router */
  listRouterTerminators: {
    permission: 'admin';
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListTerminatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List routers */
  listRouters: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListRoutersEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List the terminators of a service */
  listServiceTerminators: {
    permission: 'admin';
    params: { id: string };
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListTerminatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List services */
  listServices: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListServicesEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** List terminators */
  listTerminators: {
    permission: 'admin';
    params: {};
    query: { filter?: string; limit?: number; offset?: number; sort?: string };
    headers: {};
    body: undefined;
    responses: {
      200: Response.ListTerminatorsEnvelope;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a link */
  patchLink: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.LinkPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a router */
  patchRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.RouterPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a service */
  patchService: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServicePatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Change a terminator */
  patchTerminator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.TerminatorPatch;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a router */
  updateRouter: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.RouterUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a service */
  updateService: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.ServiceUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
  /** Replace a terminator */
  updateTerminator: {
    permission: 'admin';
    params: { id: string };
    query: {};
    headers: {};
    body: Request.TerminatorUpdate;
    responses: {
      200: Response.Empty;
      400: Response.ApiErrorEnvelope;
      401: Response.ApiErrorEnvelope;
      404: Response.ApiErrorEnvelope;
      413: Response.ApiErrorEnvelope;
      415: Response.ApiErrorEnvelope;
      429: Response.ApiErrorEnvelope;
      503: Response.ApiErrorEnvelope;
      default: Response.ApiErrorEnvelope;
    };
  };
}
