/** What an older server left: fewer fields, other defaults, things that no longer exist, and what people set. */
export const olderObjects = `apiVersion: management.cattle.io/v3
kind: Setting
metadata: { name: password-min-length }
value: "16"
default: "8"
---
apiVersion: management.cattle.io/v3
kind: Setting
metadata: { name: a-setting-of-old }
value: "1"
default: "0"
---
apiVersion: management.cattle.io/v3
kind: Feature
metadata: { name: legacy }
spec: { value: true }
status: { default: true, dynamic: false, description: Something else }
---
apiVersion: management.cattle.io/v3
kind: GlobalRole
metadata:
  name: user-base
  labels: { authz.management.cattle.io/bootstrapping: default-globalrole }
displayName: User-Base
builtin: true
newUserDefault: true
rules: [{ verbs: [get], apiGroups: [""], resources: [pods] }]
---
apiVersion: management.cattle.io/v3
kind: Cluster
metadata: { name: local }
spec: { displayName: home, internal: true }
---
apiVersion: management.cattle.io/v3
kind: User
metadata:
  name: user-old
  labels: { authz.management.cattle.io/bootstrapping: admin-user }
username: admin
principalIds: [local://user-old]
`;
