import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect } from "chai";
import { layers } from "./floors.ts";

const dist = resolve(import.meta.dirname, "../../kopf-ts/dist");

/** What an import of each layer loads besides itself; everything else comes only when it is used. */
const loads: Readonly<Record<string, readonly string[]>> = {
  base: [],
  observe: ["base"],
  kube: ["base", "undici"],
  kinds: ["base", "kube", "undici"],
  watch: ["base", "kube", "undici"],
  queue: ["base"],
  cache: ["base", "kube", "lru-cache", "undici", "watch"],
  apply: ["base", "kube", "lru-cache", "undici"],
  control: ["apply", "base", "cache", "kube", "lru-cache", "queue", "undici", "watch"],
  election: ["base", "kube", "undici", "watch"],
  certificates: ["base", "kinds", "kube", "undici"],
  admission: [
    ...["apply", "base", "cache", "certificates", "control", "kinds", "kube", "lru-cache"],
    ...["queue", "undici", "watch"],
  ],
  operator: [
    ...["admission", "apply", "base", "cache", "certificates", "control", "election", "kinds"],
    ...["kube", "lru-cache", "observe", "queue", "undici", "watch"],
  ],
  testing: ["base", "kube", "undici"],
};

/** Layers of kopf-ts and packages that a fresh process loads with an import. */
function loadedWith(specifier: string): readonly string[] {
  const script = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify(urls));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect(stderr).to.equal("");
  const urls: readonly string[] = JSON.parse(stdout);
  return [...new Set(urls.map(ownerOf))].filter((owner) => owner !== "").sort();
}

function ownerOf(url: string): string {
  const [, layer] = /\/kopf-ts\/dist\/([a-z]+)\//.exec(url) ?? [];
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? [];
  return layer ?? name ?? "";
}

/** A declaration in a file of types. */
interface Declared {
  readonly file: string;
  readonly name: string;
  readonly text: string;
}

/** Names that a file imports or passes on: what each is called where it comes from, and where that is. */
function importsOf(file: string): ReadonlyMap<string, { name: string; from: string }> {
  const found = new Map<string, { name: string; from: string }>();
  const statements = textOf(file).matchAll(
    /^(?:import|export)(?: type)? \{([^}]*)\} from "(\.[^"]+)\.ts"/gm,
  );
  for (const [, names = "", target = ""] of statements) {
    const from = resolve(dirname(file), `${target}.d.ts`);
    for (const [, name = "", alias = name] of names.matchAll(/(?:type )?(\w+)(?: as (\w+))?/g)) {
      found.set(alias, { name, from });
    }
  }
  return found;
}

/** The file without comments and texts. */
function textOf(file: string): string {
  const text = readFileSync(file, "utf8");
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(?<!from )"[^"\n]*"/g, '""');
}

/** Where a name of a file is declared; undefined for those of the language, of Node and of type parameters. */
function declaration(file: string, name: string): Declared | undefined {
  const parts = textOf(file).split(/^(?=(?:export |declare |type |interface |import ))/m);
  const own = parts.filter((part) =>
    new RegExp(`^(export )?(declare )?(interface|type|class|function|const) ${name}\\b`).test(part),
  );
  if (own.length > 0) return { file, name, text: own.join("\n") };
  const imported = importsOf(file).get(name);
  return imported === undefined ? undefined : declaration(imported.from, imported.name);
}

/** Types under `folder` that what an index exports mentions and the index does not export. */
function unnameable(index: string, folder: string): readonly string[] {
  const exported = [...importsOf(index).keys()]
    .map((name) => declaration(index, name))
    .filter((found) => found !== undefined);
  const known = new Set(exported.map(keyOf));
  const mentioned = exported.flatMap(({ file, text }) =>
    (text.match(/\b[A-Z]\w*/g) ?? []).map((name) => declaration(file, name)),
  );
  const missing = mentioned.filter(
    (each) => each?.file.startsWith(folder) && !known.has(keyOf(each)),
  );
  return [...new Set(missing.map((each) => (each === undefined ? "" : keyOf(each))))].sort();
}

function keyOf({ file, name }: Declared): string {
  return `${relative(dist, file)}: ${name}`;
}

describe("layers of kopf-ts", () => {
  it("are what the package exports, and its root", () => {
    const manifest = JSON.parse(readFileSync(join(dist, "../package.json"), "utf8"));
    const expected = layers.map((layer) => [`./${layer}`, `./dist/${layer}/index.js`]);

    expect(manifest.exports).to.deep.equal({
      ".": "./dist/index.js",
      ...Object.fromEntries(expected),
    });
  });

  for (const layer of layers) {
    it(`kopf-ts/${layer} loads nothing but lower layers`, () => {
      const others = loadedWith(`kopf-ts/${layer}`).filter((each) => each !== layer);

      expect(others).to.deep.equal(loads[layer]);
      const above = layers.slice(layers.indexOf(layer));
      expect(others.filter((each) => above.includes(each))).to.deep.equal([]);
    }).timeout(10_000);

    it(`kopf-ts/${layer} exports every type of its own that its exports mention`, () => {
      const index = join(dist, layer, "index.d.ts");

      expect(existsSync(index)).to.equal(true);
      expect(unnameable(index, join(dist, layer))).to.deep.equal([]);
    }).timeout(10_000);
  }

  it("kopf-ts exports every type that its exports mention", () => {
    expect(unnameable(join(dist, "index.d.ts"), dist)).to.deep.equal([]);
  }).timeout(10_000);
});
