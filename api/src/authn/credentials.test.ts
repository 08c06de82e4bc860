import { expect } from "chai";
import { bearerOf, shownToken } from "./credentials.ts";

const key = "d".repeat(54);
const value = `token-abcde:${key}`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What was shown, with the key to be seen. */
const shown = (headers: Parameters<typeof shownToken>[0]): unknown => {
  const found = shownToken(headers);
  return typeof found === "object" ? `${found.store} ${found.name} ${found.key.reveal()}` : found;
};

describe("shownToken", () => {
  const ours = `v3 token-abcde ${key}`;
  for (const { name, headers, expected } of [
    { name: "nothing", headers: {}, expected: undefined },
    { name: "an empty header", headers: { authorization: " " }, expected: undefined },
    { name: "Bearer", headers: { authorization: `Bearer ${value}` }, expected: ours },
    { name: "bearer in any case", headers: { authorization: `bEARER  ${value}` }, expected: ours },
    {
      name: "an ext token",
      headers: { authorization: `Bearer ext/${value}` },
      expected: `ext token-abcde ${key}`,
    },
    { name: "Basic", headers: { authorization: `Basic ${base64(value)}` }, expected: ours },
    {
      name: "Basic in the URL-safe alphabet",
      headers: { authorization: `basic ${Buffer.from("token-a:~~~???>>>").toString("base64url")}` },
      expected: "v3 token-a ~~~???>>>",
    },
    {
      name: "Basic in the other alphabet",
      headers: { authorization: `Basic ${base64("token-a:~~~???>>>")}` },
      expected: "v3 token-a ~~~???>>>",
    },
    { name: "the cookie", headers: { cookie: `a=b; R_SESS=${value}; c=d` }, expected: ours },
    { name: "the cookie in quotes", headers: { cookie: `R_SESS="${value}"` }, expected: ours },
    {
      name: "the first of two cookies",
      headers: { cookie: `R_SESS=${value}; R_SESS=x:y` },
      expected: ours,
    },
    {
      name: "another cookie",
      headers: { cookie: `XR_SESS=${value}; R_SESSX=x` },
      expected: undefined,
    },
    { name: "an empty cookie", headers: { cookie: "R_SESS=" }, expected: undefined },
    {
      name: "no cookie beside a header of another scheme",
      headers: { authorization: "Digest x", cookie: `R_SESS=${value}` },
      expected: "unusable",
    },
    {
      name: "no cookie beside a header that is garbage",
      headers: { authorization: "Bearer", cookie: `R_SESS=${value}` },
      expected: "unusable",
    },
    { name: "a JWT", headers: { authorization: "Bearer eyJh.eyJz.c2ln" }, expected: "unusable" },
    {
      name: "Basic that is no base64",
      headers: { authorization: "Basic !!!" },
      expected: "unusable",
    },
    {
      name: "a stored hash",
      headers: { authorization: "Bearer token-a:$3:1:c2FsdA:aGFzaA" },
      expected: "unusable",
    },
  ]) {
    it(`reads ${name}`, () => expect(shown(headers)).to.equal(expected));
  }

  it("takes no longer than the header is long", () => {
    const long = " ".repeat(60_000);

    expect(shown({ authorization: `Bearer${long}x${long}y` })).to.equal("unusable");
    expect(shown({ cookie: ";".repeat(60_000) })).to.equal(undefined);
  });
});

describe("bearerOf", () => {
  for (const { header, expected } of [
    { header: undefined, expected: undefined },
    { header: "Bearer a.b.c", expected: "a.b.c" },
    { header: "bearer  a.b.c ", expected: "a.b.c" },
    { header: "Bearer", expected: undefined },
    { header: "Bearer a b", expected: undefined },
    { header: "Basic a", expected: undefined },
  ]) {
    it(`reads ${header}`, () => expect(bearerOf(header)).to.equal(expected));
  }
});
