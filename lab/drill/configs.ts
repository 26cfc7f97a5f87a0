/**
 * The configuration files of the drill. docs/operations/failover.md shows the same files, with addresses of machines;
 * test/lab/patroni-drill.test.ts compares them.
 */

export interface MemberPlan {
  readonly name: string;
  /** Host and port of PostgreSQL. */
  readonly address: string;
  /** Host and port of Patroni's REST API. */
  readonly restAddress: string;
  readonly dataDir: string;
}

export interface ClusterPlan {
  readonly etcd: readonly string[];
  readonly binDir: string;
  readonly superuserPassword: string;
  readonly replicationPassword: string;
  /** The networks of members, haproxy and controllers. */
  readonly networks: readonly string[];
}

/** Of one member: `patroni FILE`. */
export function patroniConfig(plan: ClusterPlan, member: MemberPlan): string {
  const hosts = plan.etcd.map((host) => `'${host}'`).join(', ');
  return `scope: edge
name: ${member.name}
restapi:
  listen: ${member.restAddress}
  connect_address: ${member.restAddress}
etcd3:
  hosts: [${hosts}]
bootstrap:
  dcs:
    ttl: 20                      # a leader that is silent for so long is replaced
    loop_wait: 3
    retry_timeout: 5             # loop_wait + 2 * retry_timeout must not be above ttl
    maximum_lag_on_failover: 1048576
    synchronous_mode: true       # a member that may lack commits is never promoted
    postgresql:
      use_pg_rewind: true        # a former leader comes back without a full copy
      parameters:
        max_connections: 200     # 26 for each controller, replication, backup, administrators
        synchronous_commit: 'on'
        wal_keep_size: 256MB
        tcp_keepalives_idle: 10
        tcp_keepalives_interval: 5
        tcp_keepalives_count: 3
  initdb:
    - encoding: UTF8
    - locale: C.UTF-8
    - data-checksums             # pg_rewind needs them, or wal_log_hints
postgresql:
  listen: ${member.address}
  connect_address: ${member.address}
  data_dir: ${member.dataDir}
  bin_dir: ${plan.binDir}
  pgpass: ${member.dataDir}.pgpass
  parameters:
    unix_socket_directories: ''
  authentication:
    superuser: { username: postgres, password: '${plan.superuserPassword}' }
    replication: { username: replicator, password: '${plan.replicationPassword}' }
  pg_hba:
${plan.networks.flatMap(hbaLines).join('\n')}
`;
}

/** Before the members: `haproxy -f FILE`. Leads to the leader alone. */
export function haproxyConfig(listen: string, members: readonly MemberPlan[]): string {
  return `global
    maxconn 1000
defaults
    mode tcp
    retries 0                      # a controller tries again by itself, sooner
    timeout connect 2s
    timeout check 2s
    timeout client 1d              # connections of a pool may be idle for long
    timeout server 1d
    option clitcpka
    option srvtcpka
listen database
    bind ${listen}
    option httpchk GET /primary    # Patroni answers 200 on the leader alone
    http-check expect status 200
    default-server inter 1s fastinter 300ms downinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(serverLine).join('\n')}
`;
}

const hbaLines = (network: string): string[] => [
  `    - host replication replicator ${network} scram-sha-256`,
  `    - host all all ${network} scram-sha-256`,
];

const serverLine = ({ name, address, restAddress }: MemberPlan): string =>
  `    server ${name} ${address} check addr ${hostOf(restAddress)} port ${portOf(restAddress)}`;

const hostOf = (address: string): string => address.slice(0, address.lastIndexOf(':'));
const portOf = (address: string): string => address.slice(address.lastIndexOf(':') + 1);
