/** The rows of what connects (kubernetes: pkg/printers/internalversion/printers.go). */

import { at, listAt, mapAt, textAt, wholeAt } from "../tree.ts";
import { age, type Cell } from "./cell.ts";
import { byBytes, firstThree, labelTexts, nameOf, selectorOrNone, textOr } from "./texts.ts";

/** Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector. */
export function service(object: unknown): readonly Cell[] {
  return [
    nameOf(object),
    textAt(object, "spec", "type"),
    String(listAt(object, "spec", "clusterIPs")[0] ?? "<none>"),
    externalAddress(object),
    listAt(object, "spec", "ports").map(portText).join(",") || "<none>",
    age(object),
    labelTexts(mapAt(object, "spec", "selector")),
  ];
}

function portText(port: unknown): string {
  const node = wholeAt(port, "nodePort") ?? 0;
  const number = textAt(port, "port");
  return `${number}${node > 0 ? `:${node}` : ""}/${textAt(port, "protocol")}`;
}

function externalAddress(object: unknown): string {
  const given = listAt(object, "spec", "externalIPs").map(String);
  switch (textAt(object, "spec", "type")) {
    case "ClusterIP":
    case "NodePort":
      return given.join(",") || "<none>";
    case "LoadBalancer":
      return [...balancers(object), ...given].join(",") || "<pending>";
    case "ExternalName":
      return textAt(object, "spec", "externalName");
    default:
      return "<unknown>";
  }
}

/** The addresses of load balancers, each once. */
function balancers(object: unknown): readonly string[] {
  const all = listAt(object, "status", "loadBalancer", "ingress").map(
    (each) => textAt(each, "ip") || textAt(each, "hostname"),
  );
  return [...new Set(all.filter((text) => text !== ""))].toSorted(byBytes);
}

/** Name, Class, Hosts, Address, Ports, Age. */
export function ingress(object: unknown): readonly Cell[] {
  const isTls = listAt(object, "spec", "tls").length > 0;
  return [
    nameOf(object),
    textOr("<none>", object, "spec", "ingressClassName"),
    hosts(listAt(object, "spec", "rules").map((rule) => textAt(rule, "host"))),
    balancers(object).join(","),
    isTls ? "80, 443" : "80",
    age(object),
  ];
}

/** Three at most; once there are three, every rule after them counts as one more, up to three fewer than all. */
function hosts(all: readonly string[]): string {
  const list: string[] = [];
  let more = false;
  for (const host of all) {
    if (list.length === 3) more = true;
    if (!more && host !== "") list.push(host);
  }
  const text = list.join(",") || "*";
  return more ? `${text} + ${all.length - 3} more...` : text;
}

/** Name, Controller, Parameters, Age. */
export function ingressClass(object: unknown): readonly Cell[] {
  const parameters = at(object, "spec", "parameters");
  const group = textAt(parameters, "apiGroup");
  const kind = `${textAt(parameters, "kind")}${group === "" ? "" : `.${group}`}`;
  const text = parameters === undefined ? "<none>" : `${kind}/${textAt(parameters, "name")}`;
  return [nameOf(object), textAt(object, "spec", "controller"), text, age(object)];
}

/** Name, Endpoints, Age. */
export function endpoints(object: unknown): readonly Cell[] {
  const subsets = listAt(object, "subsets");
  const all = subsets.flatMap(addresses);
  return [nameOf(object), subsets.length === 0 ? "<none>" : firstThree(all, ""), age(object)];
}

function addresses(subset: unknown): readonly string[] {
  const ips = listAt(subset, "addresses").map((each) => textAt(each, "ip"));
  const ports = listAt(subset, "ports").map((each) => textAt(each, "port"));
  if (ports.length === 0) return ips;
  return ports.flatMap((port) => ips.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`));
}

/** Name, AddressType, Ports, Endpoints, Age. */
export function endpointSlice(object: unknown): readonly Cell[] {
  const ports = listAt(object, "ports").map(
    (each) => textAt(each, "port") || (at(each, "name") === undefined ? "*" : textAt(each, "name")),
  );
  const all = listAt(object, "endpoints").flatMap((each) => listAt(each, "addresses").map(String));
  return [
    nameOf(object),
    textAt(object, "addressType"),
    firstThree(ports),
    firstThree(all),
    age(object),
  ];
}

/** Name, Pod-Selector, Age. */
export function networkPolicy(object: unknown): readonly Cell[] {
  return [nameOf(object), selectorOrNone(at(object, "spec", "podSelector")), age(object)];
}

/** Name, CIDRs, Age. */
export function serviceCidr(object: unknown): readonly Cell[] {
  return [nameOf(object), listAt(object, "spec", "cidrs").map(String).join(","), age(object)];
}

/** Name, ParentRef, Age. */
export function ipAddress(object: unknown): readonly Cell[] {
  const parent = at(object, "spec", "parentRef");
  const resource = [textAt(parent, "resource"), textAt(parent, "group")].filter(Boolean).join(".");
  const path = [resource.toLowerCase(), textAt(parent, "namespace"), textAt(parent, "name")];
  const text = path.filter((part, index) => index !== 1 || part !== "").join("/");
  return [nameOf(object), parent === undefined ? "<none>" : text, age(object)];
}
