import type { Setting } from "@drover/crds";
import { aSetting } from "@drover/crds/testing";
import { expect } from "chai";
import { type Random, seededRandom } from "kopf-ts/testing";
import { desiredSettings, type SettingChanges } from "./desired.ts";
import { type Environment, environmentName } from "./read.ts";
import { settingNames } from "./settings.ts";

const none: SettingChanges = { create: [], update: [], remove: [] };

/** The objects after the changes were written. */
function written(
  existing: readonly Setting[],
  { create, update, remove }: SettingChanges,
): readonly Setting[] {
  const objects = new Map(existing.map((object) => [object.metadata.name, object]));
  for (const object of [...create, ...update]) objects.set(object.metadata.name, object);
  for (const object of remove) objects.delete(object.metadata.name);
  return [...objects.values()];
}

const find = (objects: readonly Setting[], name: string): Setting | undefined =>
  objects.find(({ metadata }) => metadata.name === name);

const fresh = (env: Environment = {}): readonly Setting[] => desiredSettings([], env).create;

describe("desiredSettings", () => {
  describe("conformance case 87", () => {
    it("gives the Setting the value of CATTLE_SERVER_URL and source env", () => {
      const env = { CATTLE_SERVER_URL: "https://env.test" };
      const stored = aSetting({
        metadata: { name: "server-url" },
        value: "https://old.test",
        default: "",
      });

      const existing = find(desiredSettings([stored], env).update, "server-url");
      const created = find(fresh(env), "server-url");

      for (const object of [existing, created]) {
        expect(object).to.include({ value: "https://env.test", source: "env" });
      }
    });

    it("deletes settings of unknown names", () => {
      const unknown = aSetting({ metadata: { name: "of-long-ago" } });

      expect(desiredSettings([...fresh(), unknown], {})).to.deep.equal({
        ...none,
        remove: [unknown],
      });
    });

    it("makes agent-tls-mode strict when fresh and system-store on upgrade", () => {
      const older = aSetting({ metadata: { name: "server-url" } });

      expect(find(fresh(), "agent-tls-mode")?.default).to.equal("strict");
      expect(find(desiredSettings([older], {}).create, "agent-tls-mode")?.default).to.equal(
        "system-store",
      );
    });
  });

  it("creates every setting", () => {
    expect(fresh().map(({ metadata }) => metadata.name)).to.have.members([...settingNames]);
  });

  it("keeps agent-tls-mode as the first start made it", () => {
    const upgraded = desiredSettings([], {}, { upgrade: true }).create;

    for (const upgrade of [true, false]) {
      expect(desiredSettings(fresh(), {}, { upgrade })).to.deep.equal(none);
      expect(desiredSettings(upgraded, {}, { upgrade })).to.deep.equal(none);
    }
  });

  it("does not take a first start that was cut short for an upgrade", () => {
    const all = fresh();

    for (let count = 1; count < all.length; count++) {
      const cut = all.slice(0, count);
      const after = written(cut, desiredSettings(cut, {}));
      expect(find(after, "agent-tls-mode")?.default, `cut after ${count}`).to.equal("strict");
    }
  });

  it("refreshes a stale default and keeps the rest of the object", () => {
    const metadata = { name: "password-min-length", resourceVersion: "7", labels: { mine: "yes" } };
    const stale = aSetting({ metadata, value: "20", default: "8", source: "db" });

    const [update] = desiredSettings([stale], {}).update;

    expect(update).to.deep.equal({ ...stale, default: "12" });
  });

  it("takes the default from the environment where the table says so", () => {
    const registry = find(fresh({ CATTLE_BASE_REGISTRY: "r.test" }), "system-default-registry");

    expect(registry).to.include({ default: "r.test", value: "", source: "" });
  });

  it("takes a default that was found out, and keeps it where nobody knows better", () => {
    const computed = { "k8s-version": "v1.35.4" };

    const { create } = desiredSettings([], {}, { computed });
    const newer = desiredSettings(create, {}, { computed: { "k8s-version": "v1.36.0" } });

    expect(find(create, "k8s-version")?.default).to.equal("v1.35.4");
    expect(newer.update.map((object) => object.default)).to.deep.equal(["v1.36.0"]);
    expect(desiredSettings(create, {})).to.deep.equal(none);
  });

  it("gives a value once, to a setting that has none", () => {
    const once = { "install-uuid": "first" };

    const { create } = desiredSettings([], {}, { once });
    const [late] = desiredSettings(fresh(), {}, { once }).update;

    expect(find(create, "install-uuid")).to.include({ value: "first", source: "" });
    expect(late).to.include({ value: "first", source: "" });
    expect(desiredSettings(create, {}, { once: { "install-uuid": "second" } })).to.deep.equal(none);
  });

  it("goes back to the default when the variable is gone", () => {
    const forced = fresh({ CATTLE_SERVER_URL: "https://env.test" });

    const { update } = desiredSettings(forced, {});

    expect(
      update.map(({ metadata, value, source }) => [metadata.name, value, source]),
    ).to.deep.equal([["server-url", "", ""]]);
  });

  it("wants nothing more once its changes are written, whatever was there before", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const existing = someSettings(random);
      const env = someEnvironment(random);

      const after = written(existing, desiredSettings(existing, env));

      expect(desiredSettings(after, env), `seed ${seed}`).to.deep.equal(none);
    }
  });

  it("never touches a value that a person set", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const existing = someSettings(random).filter(({ source }) => source !== "env");

      const { update } = desiredSettings(existing, {});

      for (const object of update) {
        const before = find(existing, object.metadata.name);
        expect(object.value ?? "", `seed ${seed}`).to.equal(before?.value ?? "");
      }
    }
  });
});

function someSettings(random: Random): readonly Setting[] {
  return [...settingNames, "unknown-a", "unknown-b"]
    .filter(() => random.chance(0.6))
    .map((name) => {
      const {
        value: _value,
        default: _default,
        source: _source,
        ...bare
      } = aSetting({ metadata: { name } });
      return {
        ...bare,
        ...(random.chance(0.7) ? { value: random.pick(["", "a", "true"]) } : {}),
        ...(random.chance(0.7)
          ? { default: random.pick(["", "strict", "system-store", "12"]) }
          : {}),
        ...(random.chance(0.7) ? { source: random.pick(["", "env", "db", "default"]) } : {}),
      };
    });
}

function someEnvironment(random: Random): Environment {
  const names = settingNames.filter(() => random.chance(0.2)).map(environmentName);
  return Object.fromEntries(
    [...names, "CATTLE_BASE_REGISTRY"].map((name) => [
      name,
      random.pick(["", "x", "https://e.test"]),
    ]),
  );
}
