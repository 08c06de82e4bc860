import type { AuthConfig } from "@drover/crds";
import { anAuthConfig } from "@drover/crds/testing";
import { expect } from "chai";
import { isAttribute, isFilter } from "./filter.ts";
import { authConfigProblem } from "./rules.ts";

describe("isFilter", () => {
  for (const text of [
    "(objectClass=person)",
    "(cn=*)",
    "(cn=Ad*a*)",
    "(cn=)",
    "(&(objectClass=user)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))",
    "(|(sn=a)(sn>=b)(sn<=c)(sn~=d))",
    "(&)",
    "(o=Parens R Us \\28for all\\29)",
    "(cn:dn:=x)",
    "(:dn:2.4.6.8.10:=Dino)",
    "(seeAlso=)",
    "(cn;lang-de=Löwe)",
  ]) {
    it(`takes ${text}`, () => expect(isFilter(text)).to.equal(true));
  }

  for (const text of [
    "",
    "objectClass=person",
    "(objectClass=person",
    "(objectClass=person))",
    "(objectClass)",
    "()",
    "(=x)",
    "(1a=x)",
    "(cn=a(b)",
    "(cn=\\zz)",
    "(cn=\\2)",
    "(!)",
    "(!(a=b)(c=d))",
    "(&(a=b)c)",
    "(a=b)(c=d)",
    "(:=x)",
    "(cn>=a*)",
    "(cn=\0)",
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(isFilter(text)).to.equal(false));
  }

  it("refuses what no directory takes, at once", () => {
    const start = performance.now();

    expect(isFilter(`${"(!".repeat(100)}(a=b)${")".repeat(100)}`)).to.equal(false);
    expect(isFilter(`(cn=${"a".repeat(10_000)})`)).to.equal(false);
    expect(isFilter(`(cn=${"a*".repeat(4_000)}(`)).to.equal(false);
    expect(isFilter(`(${"a;b".repeat(2_700)}`)).to.equal(false);
    expect(performance.now() - start).to.be.lessThan(500);
  });
});

describe("isAttribute", () => {
  for (const text of ["uid", "sAMAccountName", "2.5.4.3", "userCertificate;binary", "x-a1"]) {
    it(`takes ${text}`, () => expect(isAttribute(text)).to.equal(true));
  }

  for (const text of ["", "1uid", "u_id", "a b", "uid|cn", "2.", "cn;", "-a", "ä"]) {
    it(`refuses "${text}"`, () => expect(isAttribute(text)).to.equal(false));
  }
});

describe("a configuration of a directory", () => {
  const ldap = (fields: object): AuthConfig => ({
    ...anAuthConfig({ type: "openLdapConfig", enabled: true }),
    ...fields,
  });
  const good = {
    servers: ["ldap.example.com"],
    userSearchAttribute: "uid|sn|givenName",
    userLoginAttribute: "uid",
    userLoginFilter: "(memberOf=cn=admins)",
    groupSearchFilter: "",
  };
  const noServer = "servers must name at least one server, and none empty";
  const badAttribute = "must be an LDAP attribute (RFC 4512), such as sAMAccountName";
  const badFilter = "must be an LDAP filter (RFC 4515), such as (objectClass=person)";

  for (const { name, after, before, expected } of [
    { name: "takes what directories take", after: ldap(good), expected: undefined },
    { name: "needs servers", after: ldap({ ...good, servers: [] }), expected: noServer },
    {
      name: "needs servers that are named",
      after: ldap({ ...good, servers: [" "] }),
      expected: noServer,
    },
    {
      name: "needs servers in a list",
      after: ldap({ ...good, servers: "ldap" }),
      expected: noServer,
    },
    {
      name: "needs servers to be enabled",
      before: ldap({ enabled: false }),
      after: ldap({ enabled: true }),
      expected: noServer,
    },
    {
      name: "may stay without servers until it is enabled",
      before: ldap({ enabled: false }),
      after: ldap({ enabled: false, accessMode: "required" }),
      expected: undefined,
    },
    {
      name: "must keep its servers",
      before: ldap(good),
      after: ldap({ ...good, servers: [] }),
      expected: noServer,
    },
    {
      name: "has attributes",
      after: ldap({ ...good, userLoginAttribute: "u id" }),
      expected: `userLoginAttribute ${badAttribute}`,
    },
    {
      name: "has several attributes to search for people in, and no empty one",
      after: ldap({ ...good, userSearchAttribute: "uid||sn" }),
      expected: `userSearchAttribute ${badAttribute}`,
    },
    {
      name: "has attributes that are text",
      after: ldap({ ...good, groupDNAttribute: 5 }),
      expected: `groupDNAttribute ${badAttribute}`,
    },
    {
      name: "has filters",
      after: ldap({ ...good, userLoginFilter: "admins" }),
      expected: `userLoginFilter ${badFilter}`,
    },
    {
      name: "may keep a filter that is older than the rule",
      before: ldap({ ...good, userSearchFilter: "old" }),
      after: ldap({ ...good, userSearchFilter: "old", userLoginAttribute: "cn" }),
      expected: undefined,
    },
    {
      name: "is judged inside a SAML provider",
      after: ldap({ type: "shibbolethConfig", openLdapConfig: { groupSearchFilter: "x" } }),
      expected: `openLdapConfig.groupSearchFilter ${badFilter}`,
    },
    {
      name: "is nothing to other providers",
      after: { ...ldap({ userLoginFilter: "x" }), type: "githubConfig" },
      expected: undefined,
    },
  ]) {
    it(name, () => expect(authConfigProblem(after, before)).to.equal(expected));
  }
});
