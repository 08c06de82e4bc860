import { expect } from "chai";
import { Problem } from "../v1/problem.ts";
import { parseLogin } from "./input.ts";

const whole = { username: "ada", password: "secret" };

describe("parseLogin", () => {
  it("reads what the Dashboard sends", () => {
    const body = {
      ...{ ...whole, type: "localProvider", description: "UI session", responseType: "cookie" },
      ttl: 57_600_000,
    };

    expect(parseLogin(body)).to.deep.equal({
      ...{ ...whole, type: "localProvider", description: "UI session" },
      responseType: { kind: "cookie" },
    });
  });

  for (const { responseType, expected } of [
    { responseType: undefined, expected: { kind: "json" } },
    { responseType: "", expected: { kind: "json" } },
    { responseType: "json", expected: { kind: "json" } },
    { responseType: "kubeconfig", expected: { kind: "kubeconfig", cluster: "" } },
    { responseType: "kubeconfig_c-m-abc", expected: { kind: "kubeconfig", cluster: "c-m-abc" } },
  ]) {
    it(`answers responseType ${responseType} with ${JSON.stringify(expected)}`, () => {
      const { responseType: read } = parseLogin({ ...whole, responseType });

      expect(read).to.deep.equal(expected);
    });
  }

  for (const { name, body, code, fieldName } of [
    { name: "a text", body: "ada", code: "InvalidBodyContent", fieldName: "body" },
    { name: "a list", body: [], code: "InvalidBodyContent", fieldName: "body" },
    { name: "null", body: null, code: "InvalidBodyContent", fieldName: "body" },
    {
      name: "no username",
      body: { password: "x" },
      code: "MissingRequired",
      fieldName: "username",
    },
    {
      name: "an empty password",
      body: { ...whole, password: "" },
      code: "MissingRequired",
      fieldName: "password",
    },
    {
      name: "a number for a password",
      body: { ...whole, password: 1 },
      code: "InvalidFormat",
      fieldName: "password",
    },
    {
      name: "a description that is no text",
      body: { ...whole, description: {} },
      code: "InvalidFormat",
      fieldName: "description",
    },
    {
      name: "saml",
      body: { ...whole, responseType: "saml" },
      code: "InvalidOption",
      fieldName: "responseType",
    },
    {
      name: "a cluster that is none",
      body: { ...whole, responseType: "kubeconfig_../x" },
      code: "InvalidOption",
      fieldName: "responseType",
    },
  ]) {
    it(`refuses ${name} with ${code}`, () => {
      expect(() => parseLogin(body))
        .to.throw(Problem)
        .that.includes({ status: 422, code, fieldName });
    });
  }

  it("inherits no field", () => {
    expect(() => parseLogin(JSON.parse('{"__proto__":{"username":"a","password":"b"}}'))).to.throw(
      Problem,
    );
  });
});
