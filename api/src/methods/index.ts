import { refuse, type Stage } from "../stage.ts";

const known: readonly string[] = ["GET", "HEAD"];

/** Refuses methods that no stage behind it serves. */
export const methods: Stage = async ({ request, response }, next) => {
  if (known.includes(request.method ?? "")) return next();
  response.setHeader("Allow", known.join(", "));
  refuse(response, 405, "MethodNotAllowed", `only ${known.join(" and ")} are served here`);
};
