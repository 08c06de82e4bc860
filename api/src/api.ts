/** The API of one process: who asks, what is served, and what of it lives long. */

import { Authn } from "./authn/index.ts";
import { kubeProxy } from "./kube-proxy/index.ts";
import { Logins } from "./login/index.ts";
import type { ApiParts } from "./parts.ts";
import { publicRoutes } from "./public/index.ts";
import type { Stage } from "./stage.ts";
import { Tenures } from "./tenures.ts";
import { V1 } from "./v1/index.ts";

/** The stages that need a cluster; pipeline.ts says in which order a request meets them. */
export class Api {
  readonly authn: Stage;
  readonly publicRoutes: Stage;
  readonly logins: Stage;
  readonly kubeProxy: Stage;
  readonly v1: Stage;
  readonly #authn: Authn;
  readonly #logins: Logins;
  readonly #v1: V1;
  readonly #tenures: Tenures;

  constructor(parts: ApiParts) {
    this.#authn = new Authn(parts);
    this.#logins = new Logins({ ...parts, authn: this.#authn });
    const { clock, log } = parts;
    this.#tenures = new Tenures({
      ...{ clock, log },
      standingOf: (login) => this.#authn.standingOf(login),
    });
    this.#v1 = new V1({
      ...parts,
      tenures: this.#tenures,
      personCalled: (text) => this.#authn.personCalled(text),
    });
    this.authn = this.#authn.stage;
    this.publicRoutes = publicRoutes(parts);
    this.logins = this.#logins.stage;
    this.kubeProxy = kubeProxy({ client: parts.forwarding, tenures: this.#tenures });
    this.v1 = this.#v1.stage;
  }

  /** The id of the type that a name in a path means; undefined for none. */
  typeOf(name: string): string | undefined {
    return this.#v1.types.find(name)?.id;
  }

  /** Follows the cluster until the signal aborts; resolves when nothing is left to do. */
  async start(signal: AbortSignal): Promise<void> {
    using _logins = this.#logins;
    using _tenures = this.#tenures;
    await Promise.all([this.#authn.start(signal), this.#v1.start(signal)]);
  }
}
