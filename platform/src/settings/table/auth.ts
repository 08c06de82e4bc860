/** Settings of users, sessions and tokens. */
export const authSettings = {
  "first-login": {
    default: "true",
    kind: { type: "boolean" },
    about: "Whether nobody has gone through the first-run page yet",
    public: true,
    followedBy: "clients",
  },
  "no-default-admin": {
    default: "",
    kind: { type: "boolean" },
    about: "Keeps the bootstrap admin from being made",
  },
  "password-min-length": {
    default: "12",
    kind: { type: "number", min: 1 },
    about: "Fewest characters of a password",
  },
  "auth-token-max-ttl-minutes": {
    default: "129600",
    kind: { type: "number", unit: "minutes", min: 0 },
    about: "Longest life of a token other than a session's; 0 for no limit",
  },
  "auth-token-default-ttl-minutes": {
    default: "129600",
    kind: { type: "number", unit: "minutes", min: 0 },
    about: "Life of a token that asks for none",
  },
  "auth-user-session-ttl-minutes": {
    default: "960",
    kind: { type: "number", unit: "minutes", min: 1 },
    about: "Life of a login session; never above the limits of inactive users",
  },
  "auth-user-session-idle-ttl-minutes": {
    default: "960",
    kind: { type: "number", unit: "minutes", min: 1 },
    about: "How long a session may stay idle; never above auth-user-session-ttl-minutes",
  },
  "auth-user-info-resync-cron": {
    default: "0 0 * * *",
    kind: { type: "cron" },
    about: "When group memberships of all users are read anew",
  },
  "auth-user-info-max-age-seconds": {
    default: "3600",
    kind: { type: "number", unit: "seconds", min: 0 },
    about: "Age from which a request has its user's groups read anew",
    followedBy: "nobody yet",
  },
  "auth-password-requirements-description": {
    default: "",
    kind: { type: "text" },
    about: "Text that the login page shows about passwords",
    followedBy: "clients",
  },
  "kubeconfig-generate-token": {
    default: "true",
    kind: { type: "boolean" },
    about: "Whether a kubeconfig holds a token; otherwise it calls `rancher token`",
    followedBy: "nobody yet",
  },
  "kubeconfig-default-token-ttl-minutes": {
    default: "43200",
    kind: { type: "number", unit: "minutes", min: 0, fractions: true },
    about: "Life of a kubeconfig's token",
  },
  "kubeconfig-max-token-ttl-minutes": {
    default: "129600",
    kind: { type: "number", unit: "minutes", min: 0 },
    about: "Longest life of a kubeconfig's token",
  },
  "disable-inactive-user-after": {
    default: "",
    kind: { type: "duration" },
    about:
      "Inactivity after which a user is disabled; at least a session's life; empty or 0 for never",
  },
  "delete-inactive-user-after": {
    default: "",
    kind: { type: "duration" },
    about:
      "Inactivity after which a user is deleted; at least 336h and a session's life; empty or 0 for never",
  },
  "user-last-login-default": {
    default: "",
    kind: { type: "time" },
    about: "Last login of users that have none recorded; empty leaves them out of retention",
  },
  "user-retention-cron": {
    default: "",
    kind: { type: "cron" },
    about: "When inactive users are looked for; empty for never",
  },
  "user-retention-dry-run": {
    default: "false",
    kind: { type: "boolean" },
    about: "Whether retention only says what it would do",
  },
  "expire-scim-tokens-after": {
    default: "720h",
    kind: { type: "duration" },
    about: "Life of SCIM tokens",
    followedBy: "nobody yet",
  },
} as const;
