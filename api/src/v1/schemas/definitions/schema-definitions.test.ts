import { expect } from "chai";
import { connect, systemClock } from "kopf-ts";
import { type ScriptedServer, startScriptedServer } from "kopf-ts/testing";
import { aType } from "../../types/a-type.test.support.ts";
import { OpenApi } from "./open-api.ts";
import { SchemaDefinitions } from "./schema-definitions.ts";

const place = "/openapi/v3/apis/example.com/v1?hash=1";
const gadgets = aType({ group: "example.com", kind: "Gadget" });
const published = { paths: { "apis/example.com/v1": { serverRelativeURL: place } } };
const notYet = "no model found for schema, try again after refresh";

/** Answers what a path has, and 500 to what has nothing. */
function serverOf(answers: Readonly<Record<string, object>>): Promise<ScriptedServer> {
  return startScriptedServer((response, { path }) => {
    const answer = answers[path];
    response.writeHead(answer === undefined ? 500 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
}

describe("schema definitions", () => {
  for (const { title, answers, message } of [
    {
      title: "of a group that has no document yet",
      answers: { "/openapi/v3": { paths: {} } },
      message: notYet,
    },
    {
      title: "of a kind that is not in the document yet",
      answers: { "/openapi/v3": published, [place]: { components: { schemas: {} } } },
      message: notYet,
    },
    {
      title: "of a server that tells nothing",
      answers: {},
      message: "schema definitions not yet refreshed",
    },
  ]) {
    it(`${title} are 503`, async () => {
      await using server = await serverOf(answers);
      await using client = connect(server.config);
      const definitions = new SchemaDefinitions(new OpenApi(client, systemClock), systemClock);

      const refused = await definitions.of(gadgets).catch((thrown: unknown) => thrown);

      expect(refused).to.include({ status: 503, code: "SchemasNotRefreshed", message });
    });
  }
});
