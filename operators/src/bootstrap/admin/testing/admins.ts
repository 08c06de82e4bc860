/** A cluster of its own in which admins come and go. */

import { GlobalRole, GlobalRoleBinding, installCrds, systemNamespace, User } from "@drover/crds";
import { type ControlPlane, startControlPlane } from "@drover/env";
import {
  type Confidential,
  parsePasswordSecret,
  passwordNamespace,
  verifyPassword,
} from "@drover/platform";
import {
  type Client,
  connect,
  intercept,
  type Kind,
  loadConfig,
  refTo,
  silentLogger,
  systemClock,
  type TaskContext,
  type WriteHooks,
} from "kopf-ts";
import { ClusterRoleBinding, ConfigMap, Namespace, Secret } from "kopf-ts/kinds";
import { globalRoles } from "../../roles/data/global-roles.ts";
import { type AdminOptions, bootstrapAdmin } from "../bootstrap.ts";
import { adminSelector, guardName, secretName } from "../names.ts";

/** How a bootstrap runs in a test. */
export interface Run extends Partial<AdminOptions> {
  readonly hooks?: WriteHooks;
}

/** What a bootstrap did. */
export interface Ran {
  /** As `verb kind`. */
  readonly writes: readonly string[];
  readonly announced: readonly string[];
  /** Log lines, and the error that ended it. */
  readonly said: string;
  readonly error: unknown;
}

/** The admin as somebody with rights on everything sees it. */
export interface Found {
  readonly users: readonly User[];
  readonly bindings: readonly GlobalRoleBinding[];
  readonly clusterBindings: readonly ClusterRoleBinding[];
  readonly guarded: boolean;
}

/** A control plane of its own with what exists before the first admin. */
export class AdminCluster implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly client: Client;

  private constructor(plane: ControlPlane, client: Client) {
    this.plane = plane;
    this.client = client;
  }

  static async open(): Promise<AdminCluster> {
    const plane = await startControlPlane();
    const client = connect(await loadConfig({ kubeconfig: plane.kubeconfigPath }));
    await installCrds(client, { log: silentLogger, signal: AbortSignal.timeout(60_000) });
    for (const name of [systemNamespace, passwordNamespace]) {
      await client.create({ apiVersion: "v1", kind: Namespace.kind, metadata: { name } });
    }
    return new AdminCluster(plane, client);
  }

  /** As before the first start: nothing but the GlobalRoles. */
  async reset(): Promise<void> {
    await this.client.delete(refTo(ConfigMap, guardName, systemNamespace));
    await this.client.delete(refTo(Secret, secretName, systemNamespace));
    for (const kind of [User, GlobalRoleBinding, GlobalRole]) {
      await this.client.deleteCollection(kind);
    }
    await this.client.deleteCollection(ClusterRoleBinding, { labelSelector: adminSelector });
    await this.client.deleteCollection(Secret, { namespace: passwordNamespace });
    for (const role of globalRoles({ oidcProvider: false })) await this.client.create(role);
  }

  /** Runs the bootstrap to its end, however it ends. */
  async bootstrap({ hooks, ...over }: Run = {}): Promise<Ran> {
    const writes: string[] = [];
    const announced: string[] = [];
    const lines: string[] = [];
    const counted = intercept(this.client, {
      afterWrite: (verb, { kind }) => void writes.push(`${verb} ${kind}`),
    });
    const context: TaskContext = {
      client: hooks === undefined ? counted : intercept(counted, hooks),
      clock: systemClock,
      log: collect(lines),
      signal: new AbortController().signal,
    };
    const error = await bootstrapAdmin(context, {
      env: {},
      settings: { boolean: () => false },
      features: () => true,
      announce: (password: Confidential) => void announced.push(password.reveal()),
      ...over,
    }).catch((thrown: unknown) => thrown);
    if (error instanceof Error) lines.push(`${error.message} ${error.stack}`);
    return { writes, announced, said: lines.join("\n"), error };
  }

  async found(): Promise<Found> {
    const labelled = { labelSelector: adminSelector };
    const guard = await this.client.find(ConfigMap, guardName, { namespace: systemNamespace });
    return {
      users: await this.#all(User),
      bindings: await this.#all(GlobalRoleBinding),
      clusterBindings: (await this.client.list(ClusterRoleBinding, labelled)).items,
      guarded: guard !== undefined,
    };
  }

  /** Whether somebody can log in with these. */
  async accepts(user: string, password: string): Promise<boolean> {
    const secret = await this.client.find(Secret, user, { namespace: passwordNamespace });
    const stored = secret === undefined ? undefined : parsePasswordSecret(secret);
    return (await verifyPassword(password, stored)).matches;
  }

  /** What the bootstrap Secret says. */
  async bootstrapPassword(): Promise<string | undefined> {
    const secret = await this.client.find(Secret, secretName, { namespace: systemNamespace });
    const text = secret?.data?.bootstrapPassword;
    return text === undefined ? undefined : Buffer.from(text, "base64").toString();
  }

  async #all<T extends User | GlobalRoleBinding>(kind: Kind<T>): Promise<readonly T[]> {
    return (await this.client.list(kind)).items;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.plane.stop();
  }
}

function collect(lines: string[]): TaskContext["log"] {
  const line = (message: string, fields?: object) =>
    void lines.push(JSON.stringify({ message, ...fields }));
  return {
    ...{ debug: line, info: line, warn: line, error: line },
    isEnabled: () => true,
    child: () => collect(lines),
  };
}
