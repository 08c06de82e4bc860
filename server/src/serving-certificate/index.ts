/** The certificate of the API: the user's files, or one of an authority that all replicas share. */

import type { ServingCertificate } from "@drover/api";
import { Setting } from "@drover/crds";
import { type Environment, settingValue } from "@drover/platform";
import type { AnyController, HealthChecks, Informer, Informers, Task } from "kopf-ts";
import { aborted } from "kopf-ts/base";
import { Certificates, type Lifetimes, renewal } from "kopf-ts/certificates";
import { cacertsController } from "./cacerts.ts";
import { lifetimes, secrets, servedNames } from "./names.ts";
import { SettingTrust } from "./trust.ts";

export { presentStored, type StoredParts } from "./stored.ts";

/** What the shared certificate works with. */
export interface ServingCertificateParts {
  /** Hands a certificate to the listener. */
  readonly present: (certificate: ServingCertificate) => void;
  readonly bindHost: string;
  readonly env: Environment;
  readonly health: HealthChecks;
  /** Of the operator that runs the tasks; asked for when they do. */
  readonly informers: () => Pick<Informers, "acquire">;
  readonly lifetimes?: Partial<Lifetimes>;
}

/** What an operator runs for it. */
export interface ServingCertificateWork {
  readonly tasks: readonly Task[];
  readonly controllers: readonly AnyController[];
}

/** Of a user's own certificate: it is the user's to renew. */
export function ownFiles(env: Environment): ServingCertificateWork {
  return { tasks: [], controllers: [cacertsController({ env, bundle: "files" })] };
}

/**
 * Each replica presents the certificate in Secret `cattle-system/serving-cert`, of the authority in `cattle-system/tls-rancher`, and follows
 * both; the first that starts makes them, the leader renews them and shows the authority in setting cacerts. /readyz names
 * `certificate` until it is presented.
 */
export function sharedCertificate(parts: ServingCertificateParts): ServingCertificateWork {
  const { present, env, health, informers } = parts;
  const check = health.ready("certificate", () => {
    throw new Error("the certificate that replicas share is not presented yet");
  });
  const opened = Promise.withResolvers<Certificates>();
  let open: Certificates | undefined;
  const presenting: Task = {
    name: "serving-certificate",
    on: "everywhere",
    run: async ({ client, clock, log, signal }) => {
      using serverUrl = new ServerUrl(parts);
      const options = {
        ...{ name: "drover", what: "the API", ...secrets },
        names: () => servedNames(parts.bindHost, serverUrl.value),
        lifetimes: { ...lifetimes, ...parts.lifetimes },
      };
      using certificates = new Certificates(options, {
        client,
        informers: informers(),
        clock,
        log,
      });
      present(await certificates.open(signal, present));
      open = certificates;
      opened.resolve(certificates);
      check[Symbol.dispose]();
      await aborted(signal);
    },
  };
  const renewing: Task = {
    name: "serving-certificate-renewal",
    run: async (context) => {
      using trust = new SettingTrust(informers(), env, context.clock);
      const certificates = await Promise.race([opened.promise, aborted(context.signal)]);
      if (certificates === undefined) return;
      await renewal(certificates, trust, context);
    },
  };
  const bundle = (): string => open?.bundle ?? "";
  const controllers = [cacertsController({ env, bundle })];
  return { tasks: [presenting, renewing], controllers };
}

/** The address that people gave the server. */
class ServerUrl implements Disposable {
  readonly #settings: Informer<Setting>;
  readonly #env: Environment;

  constructor({ informers, env }: ServingCertificateParts) {
    this.#settings = informers().acquire(Setting);
    this.#env = env;
  }

  get value(): string {
    const object = this.#settings.cache.get("server-url");
    return settingValue("server-url", { env: this.#env, object }).value;
  }

  [Symbol.dispose](): void {
    this.#settings.release();
  }
}
