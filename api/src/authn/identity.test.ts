import { aToken, aUser, aUserAttribute } from "@drover/crds/testing";
import { readToken, type StoredToken } from "@drover/platform";
import { expect } from "chai";
import { callerOf, type Known } from "./identity.ts";

const groups = (...names: readonly string[]) => ({
  Items: names.map((name) => ({ metadata: { name } })),
});
/** What a CRD without a schema would store as well. */
const anything = (items: readonly unknown[]) =>
  JSON.parse(JSON.stringify({ local: { Items: items } }));
const loggedIn = ["system:authenticated", "system:cattle:authenticated"];

/** A token that was stored; the fixture names no creation, so it never ends. */
function stored(authProvider: string): StoredToken {
  const token = readToken(
    aToken({ metadata: { name: "token-a" }, userId: "u-1", authProvider, ttl: 0 }),
  );
  if (token === undefined) throw new Error("the token cannot be read");
  return token;
}

const known = (more: Partial<Known>): Known => ({
  ...{ user: undefined, attribute: undefined, host: undefined },
  ...more,
});

describe("callerOf", () => {
  for (const { name, provider = "local", more, expected } of [
    { name: "only those of everybody where nothing is known", more: {}, expected: [] },
    {
      name: "those of all providers, local:// cut, each once",
      more: {
        attribute: aUserAttribute({
          GroupPrincipals: { local: groups("local://g-1", "x://y"), github: groups("x://y", "z") },
        }),
      },
      expected: ["g-1", "x://y", "z"],
    },
    {
      name: "the token's own where its provider told of none",
      provider: "github",
      more: {
        attribute: aUserAttribute({ GroupPrincipals: { local: groups("a") } }),
        tokenGroups: [{ metadata: { name: "local://b" } }],
      },
      expected: ["a", "b"],
    },
    {
      name: "not the token's own where its provider told of some, or of an empty list",
      more: {
        attribute: aUserAttribute({ GroupPrincipals: { local: { Items: null } } }),
        tokenGroups: [{ metadata: { name: "b" } }],
      },
      expected: [],
    },
    {
      name: "none that is Kubernetes' own, and none without a name",
      more: {
        attribute: aUserAttribute({
          GroupPrincipals: {
            local: {
              Items: [{ metadata: { name: "local://system:masters" } }, {}, { metadata: {} }],
            },
          },
        }),
      },
      expected: [],
    },
    {
      name: "none that is no text, whatever is stored",
      more: {
        attribute: aUserAttribute({
          GroupPrincipals: anything([null, 5, "x", { metadata: { name: 7 } }]),
        }),
      },
      expected: [],
    },
  ]) {
    it(`gives groups: ${name}`, () => {
      const caller = callerOf(stored(provider), known(more));

      expect(caller).to.include({ username: "u-1", uid: "u-1" });
      expect(caller.groups).to.deep.equal([...expected, ...loggedIn]);
    });
  }

  const attribute = aUserAttribute({
    ExtraByProvider: {
      local: { principalid: ["local://u-1"], username: ["ada"], secret: ["x"] },
      github: { principalid: ["github_user://9"], username: ["gh"] },
    },
  });
  const user = aUser({ username: "ada", principalIds: ["p://1", "p://2"] });
  for (const { name, provider, more, expected } of [
    {
      name: "of all providers for a local login",
      ...{ provider: "local", more: { attribute, user } },
      expected: { principalid: ["local://u-1", "github_user://9"], username: ["ada", "gh"] },
    },
    {
      name: "of all providers for a token of old, that names none",
      ...{ provider: "", more: { attribute, user } },
      expected: { principalid: ["local://u-1", "github_user://9"], username: ["ada", "gh"] },
    },
    {
      name: "of its own provider for another login",
      ...{ provider: "github", more: { attribute, user } },
      expected: { principalid: ["github_user://9"], username: ["gh"] },
    },
    {
      name: "of the user where its provider told of none",
      ...{ provider: "keycloak", more: { attribute, user } },
      expected: { principalid: ["p://1", "p://2"], username: ["ada"] },
    },
    {
      name: "that the user is about to get, where it has none",
      ...{ provider: "local", more: { user: aUser({ username: "" }) } },
      expected: { principalid: ["local://u-1"], username: [] },
    },
  ]) {
    it(`gives principals and names ${name}`, () => {
      const { extra } = callerOf(stored(provider), known({ ...more, host: "h:1" }));

      expect(extra).to.deep.equal({
        requesttokenid: ["token-a"],
        requesthost: ["h:1"],
        ...expected,
      });
    });
  }
});
