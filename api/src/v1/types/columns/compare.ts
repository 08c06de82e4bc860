/** Values as Go has them after it read an object: what is compared, and what is printed (client-go: third_party/forked/golang/template). Pure. */

type Basic = "text" | "whole" | "float" | "truth";

/** Whether left and right stand in the relation; undefined where such values cannot be compared: two kinds, maps, nothing at all. */
export function compare(left: unknown, operator: string, right: unknown): boolean | undefined {
  const kind = basicOf(left);
  if (kind === undefined || kind !== basicOf(right)) return undefined;
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (kind === "truth") return undefined;
  return ordered(inOrder(left, right), operator);
}

function ordered(order: number, operator: string): boolean | undefined {
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    default:
      return undefined;
  }
}

/** Texts by code points, which is how Go orders them. */
function inOrder(left: unknown, right: unknown): number {
  if (typeof left === "string" && typeof right === "string") {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  const [a, b] = [numberOf(left), numberOf(right)];
  return a < b ? -1 : Number(a > b);
}

function numberOf(value: unknown): number | bigint {
  return typeof value === "bigint" ? value : Number(value);
}

function basicOf(value: unknown): Basic | undefined {
  switch (typeof value) {
    case "string":
      return "text";
    case "boolean":
      return "truth";
    case "bigint":
      return "whole";
    case "number":
      return isInt64(value) ? "whole" : "float";
    default:
      return undefined;
  }
}

/** Whether Go reads the number as an int64. */
function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** What fmt.Print writes of a value; JSON of maps and lists, `<no value>` for nothing. */
export function printed(value: unknown): string {
  if (value === null || value === undefined) return "<no value>";
  if (typeof value === "object") return goJson(value);
  return typeof value === "number" && !isInt64(value) ? goFloat(value) : String(value);
}

/** The shortest digits, with an exponent below 1e-4 and from 1e6 on (strconv: FormatFloat with g). */
function goFloat(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const digits = String(Math.abs(power)).padStart(2, "0");
  return `${mantissa}e${power < 0 ? "-" : "+"}${digits}`;
}

/** As encoding/json: keys in order, and without the characters that mean something in HTML. */
function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return harmless(JSON.stringify(value));
  const entries = Object.entries(value).toSorted(([a], [b]) => inOrder(a, b));
  return `{${entries.map(([key, each]) => `${goJson(key)}:${goJson(each)}`).join(",")}}`;
}

function harmless(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
