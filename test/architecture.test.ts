import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect } from "chai";
import { floors, homes, layers } from "./floors.ts";

const root = resolve(import.meta.dirname, "../..");

/** One import as it stands in a source file; paths are relative to the repository. */
interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const pattern =
  /^\s*(import|export)\s+(type\s)?[^"';]*?from\s+"([^"]+)"|import\("([^"]+)"\)|^import\s+"([^"]+)"/gm;

function sources(workspace: string): readonly string[] {
  return readdirSync(join(root, workspace), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/(^|\/)(dist|node_modules)\//.test(file))
    .map((file) => join(workspace, file))
    .filter((file) => workspaceOf(file) === workspace);
}

function workspaceOf(file: string): string {
  return file.startsWith("test/env/") ? "test/env" : (file.split("/")[0] ?? "");
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(pattern)].map((match) => ({
    file,
    target: match[3] ?? match[4] ?? match[5] ?? "",
    typeOnly: match[2] !== undefined,
  }));
}

function manifest(workspace: string): { name?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));
}

const workspaces: readonly string[] = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
).workspaces;
const files = workspaces.flatMap(sources);
const imports = files.flatMap(importsOf);
const workspaceByName = new Map(workspaces.map((folder) => [manifest(folder).name, folder]));

/** What a workspace needs at run time from elsewhere. */
const thirdParties = (workspace: string): readonly string[] =>
  Object.keys(manifest(workspace).dependencies ?? {}).filter((name) => !workspaceByName.has(name));

const isTest = (file: string): boolean =>
  /\.test(\.support)?\.ts$/.test(file) ||
  file.startsWith("test/") ||
  file.startsWith("examples/") ||
  file.includes("/testing/");
const packageOf = (target: string): string =>
  target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
const resolved = ({ file, target }: Import): string =>
  target.startsWith(".") ? relative(root, resolve(root, dirname(file), target)) : target;
const layerOf = (file: string): string => /^kopf-ts\/src\/([^/]+)\//.exec(file)?.[1] ?? "";
/** The folder that is deleted as one: a reconciler of the management cluster, or the webhooks of a kind. */
const concernOf = (file: string): string =>
  /^operators\/src\/(?:management|admission)\/[^/]+(?=\/)/.exec(file)?.[0] ?? "";
const told = (found: readonly Import[]): readonly string[] =>
  found.map(({ file, target }) => `${file} imports ${target}`);

describe("architecture", () => {
  it("reads the sources it judges", () => {
    expect(files.length).to.be.greaterThan(20);
    expect(imports.length).to.be.greaterThan(files.length);
  });

  it("gives every workspace a floor", () => {
    expect(workspaces.filter((folder) => floors[folder] === undefined)).to.deep.equal([]);
  });

  it("lets workspaces import only what lies below them", () => {
    const wrong = imports.filter((each) => {
      const target = workspaceByName.get(packageOf(each.target));
      return (
        target !== undefined && (floors[target] ?? 99) >= (floors[workspaceOf(each.file)] ?? -1)
      );
    });

    expect(told(wrong)).to.deep.equal([]);
  });

  it("keeps relative imports inside their workspace", () => {
    const wrong = imports.filter(
      (each) =>
        each.target.startsWith(".") && workspaceOf(resolved(each)) !== workspaceOf(each.file),
    );

    expect(told(wrong)).to.deep.equal([]);
  });

  it("lets production code use the test environment only in `drover dev`", () => {
    const wrong = imports.filter(
      (each) =>
        each.target.startsWith("@drover/env") &&
        !isTest(each.file) &&
        !each.file.startsWith("server/src/dev"),
    );

    expect(told(wrong)).to.deep.equal([]);
  });

  it("lets the layers of kopf-ts import only lower ones", () => {
    const wrong = imports.filter((each) => {
      const [from, to] = [layerOf(each.file), layerOf(resolved(each))];
      if (from === "" || to === "" || from === to || isTest(each.file)) return false;
      return layers.indexOf(to) >= layers.indexOf(from) || to === "testing";
    });

    expect(told(wrong)).to.deep.equal([]);
  });

  it("lets a layer be imported only through its index.ts", () => {
    const wrong = imports.filter((each) => {
      const to = resolved(each);
      const crosses = layerOf(to) !== "" && layerOf(to) !== layerOf(each.file);
      return crosses && !isTest(each.file) && !to.endsWith("/index.ts");
    });

    expect(told(wrong)).to.deep.equal([]);
  });

  it("names every folder of kopf-ts as a layer", () => {
    const folders = new Set(files.map(layerOf).filter((layer) => layer !== ""));

    expect([...folders].filter((layer) => !layers.includes(layer))).to.deep.equal([]);
  });

  it("lets no concern import another, nor what starts the server", () => {
    const wrong = imports.filter((each) => {
      const [from, to] = [concernOf(each.file), resolved(each)];
      if (from === "" || isTest(each.file)) return false;
      const isOther = concernOf(to) !== "" && concernOf(to) !== from;
      return isOther || to.startsWith("operators/src/bootstrap/");
    });

    expect(imports.filter(({ file }) => concernOf(file) !== "")).to.not.deep.equal([]);
    expect(told(wrong)).to.deep.equal([]);
  });

  it("lets what concerns share know none of them, but for the lists and what starts the server", () => {
    const mayKnow = /^operators\/src\/(index|admission\/index)\.ts$|^operators\/src\/bootstrap\//;
    const wrong = imports.filter(
      (each) =>
        concernOf(each.file) === "" &&
        concernOf(resolved(each)) !== "" &&
        !mayKnow.test(each.file) &&
        !isTest(each.file),
    );

    expect(told(wrong)).to.deep.equal([]);
  });

  it("keeps third-party packages in their homes", () => {
    const wrong = imports.filter((each) => {
      const home = homes[packageOf(each.target)];
      if (home === undefined || isTest(each.file)) return false;
      return !home.some((folder) => each.file.startsWith(`${folder}/`));
    });

    expect(told(wrong)).to.deep.equal([]);
  });

  it("gives every third-party runtime dependency a home, below the workspace that has it", () => {
    const homeless = workspaces.flatMap((folder) =>
      thirdParties(folder)
        .filter((name) => !homes[name]?.some((home) => home.startsWith(`${folder}/`)))
        .map((name) => `${folder} depends on ${name}`),
    );

    expect(homeless).to.deep.equal([]);
  });

  it("has no home for what nobody depends on there", () => {
    const left = Object.entries(homes).flatMap(([name, folders]) =>
      folders
        .filter((home) => !thirdParties(workspaceOf(`${home}/`)).includes(name))
        .map((home) => `${name} in ${home}`),
    );

    expect(left).to.deep.equal([]);
  });

  it("lets kopf-ts have at most 8 runtime dependencies", () => {
    expect(thirdParties("kopf-ts").length).to.be.within(1, 8);
  });

  it("has no import cycle among values", () => {
    const edges = new Map<string, readonly string[]>(
      files.map((file) => [
        file,
        importsOf(file)
          .filter((each) => !each.typeOnly && each.target.startsWith("."))
          .map(resolved),
      ]),
    );

    expect(cycles(edges)).to.deep.equal([]);
  });
});

/** Every import that closes a cycle, as `from -> to`. */
function cycles(edges: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const open = new Set<string>();
  const found: string[] = [];
  const visit = (file: string): void => {
    open.add(file);
    for (const next of edges.get(file) ?? []) {
      if (open.has(next)) found.push(`${file} -> ${next}`);
      else if (!done.has(next)) visit(next);
    }
    open.delete(file);
    done.add(file);
  };
  for (const file of edges.keys()) if (!done.has(file)) visit(file);
  return found;
}
