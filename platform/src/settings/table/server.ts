/** Settings of the server itself: identity, network, registries, caches, the local cluster. */
export const serverSettings = {
  "server-url": {
    default: "",
    kind: { type: "url" },
    about:
      "Where agents and users reach the server; registration commands stay empty until it is set",
  },
  cacerts: {
    default: "",
    kind: { type: "text" },
    about:
      "CA bundle that agents and kubeconfigs trust; its checksum is part of registration commands",
    readOnly: true,
  },
  "internal-cacerts": {
    default: "",
    kind: { type: "text" },
    about: "CA bundle of the server's address inside the local cluster",
    followedBy: "nobody yet",
  },
  "internal-server-url": {
    default: "",
    kind: { type: "url" },
    about: "The server's address inside the local cluster, from its Service",
    followedBy: "nobody yet",
  },
  "install-uuid": {
    default: "",
    kind: { type: "text" },
    about: "Identity of this installation, made once",
  },
  "server-version": {
    default: "dev",
    kind: { type: "text" },
    about: "Version of the server; clients refuse to start without it",
  },
  "server-version-type": {
    default: "",
    kind: { type: "text" },
    about: "Edition of the server",
    defaultFrom: "RANCHER_VERSION_TYPE",
  },
  "k8s-version": {
    default: "",
    kind: { type: "text" },
    about:
      "Kubernetes version that clients take for the default, the local cluster's unless set; Terraform refuses to start without the setting",
    computed: true,
    followedBy: "clients",
  },
  namespace: {
    default: "",
    kind: { type: "text" },
    about: "Namespace the server runs in",
    defaultFrom: "CATTLE_NAMESPACE",
    followedBy: "nobody yet",
  },
  "peer-service": {
    default: "",
    kind: { type: "list" },
    about: "Services whose endpoints are this server's replicas; empty for a single server",
    defaultFrom: "CATTLE_PEER_SERVICE",
    followedBy: "nobody yet",
  },
  "tls-min-version": {
    default: "1.2",
    kind: { type: "choice", choices: ["1.0", "1.1", "1.2", "1.3"] },
    about: "Oldest TLS version the server accepts",
  },
  "tls-ciphers": {
    default:
      "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
    kind: { type: "list" },
    about: "Cipher suites the server offers up to TLS 1.2",
  },
  "public-api-body-limit": {
    default: "1Mi",
    kind: { type: "size", min: "1Ki", max: "16Mi" },
    about: "Largest body of a request without login",
  },
  "whitelist-domain": {
    default: "forums.rancher.com",
    kind: { type: "list" },
    about: "Hosts that the outbound proxy may reach",
    followedBy: "nobody yet",
  },
  "whitelist-envvars": {
    default: "HTTP_PROXY,HTTPS_PROXY,NO_PROXY",
    kind: { type: "list" },
    about: "Environment variables handed on to programs the server starts",
    followedBy: "nobody yet",
  },
  "system-default-registry": {
    default: "",
    kind: { type: "text" },
    about: "Registry that images of system workloads come from",
    defaultFrom: "CATTLE_BASE_REGISTRY",
  },
  "global-registry-enabled": {
    default: "false",
    kind: { type: "boolean" },
    about: "Whether a registry shared by all clusters is in use",
    followedBy: "nobody yet",
  },
  "system-default-registry-pull-secrets": {
    default: "",
    kind: { type: "list" },
    about: "Names of Secrets to pull from the default registry",
    defaultFrom: "CATTLE_BASE_REGISTRY_PULL_SECRETS",
  },
  "system-namespaces": {
    default:
      "kube-system,kube-public,kube-node-lease,cattle-system,cattle-alerting,cattle-logging,cattle-prometheus,cattle-global-data,cattle-istio,cattle-global-nt,cattle-fleet-system,cattle-fleet-local-system,cattle-impersonation-system,cattle-csp-adapter-system,cattle-elemental-system,cattle-scc-system,cattle-telemetry-system,cattle-local-user-passwords,cattle-tokens,cattle-oidc-codes,cattle-oidc-client-secrets,cattle-turtles-system,cattle-capi-system,ingress-nginx,cert-manager,security-scan,calico-system,calico-apiserver,tigera-operator,rancher-operator-system",
    kind: { type: "list" },
    about: "Namespaces that belong to the System project of a cluster",
  },
  "fleet-default-workspace-name": {
    default: "fleet-default",
    kind: { type: "text" },
    about: "Workspace of clusters that name none",
    followedBy: "nobody yet",
  },
  "hide-local-cluster": {
    default: "false",
    kind: { type: "boolean" },
    about: "Whether user interfaces leave out the local cluster",
    followedBy: "clients",
  },
  "authorization-cache-ttl-seconds": {
    default: "10",
    kind: { type: "number", unit: "seconds", min: 0 },
    about: "How long an allowed request stays allowed without asking again",
    followedBy: "nobody yet",
  },
  "authorization-deny-cache-ttl-seconds": {
    default: "10",
    kind: { type: "number", unit: "seconds", min: 0 },
    about: "How long a denied request stays denied without asking again",
    followedBy: "nobody yet",
  },
  "cluster-controller-start-count": {
    default: "50",
    kind: { type: "number", min: 1 },
    about: "Clusters whose controllers start at the same time",
  },
  "sql-cache-gc-interval": {
    default: "15m",
    kind: { type: "duration" },
    about: "How often the cache of `/v1` drops old versions",
    followedBy: "nobody yet",
  },
  "sql-cache-gc-keep-count": {
    default: "1000",
    kind: { type: "number", min: 0 },
    about: "Versions per kind that the cache of `/v1` keeps",
    followedBy: "nobody yet",
  },
  "jailer-timeout": {
    default: "60",
    kind: { type: "number", unit: "seconds", min: 1 },
    about: "How long a confined kubectl may take to start",
    followedBy: "nobody yet",
  },
  "unprivileged-jail-user": {
    default: "true",
    kind: { type: "boolean" },
    about: "Whether a confined kubectl runs as a user without privileges",
    followedBy: "nobody yet",
  },
} as const;
