import { refuse, type Stage } from "../stage.ts";

/** The last stage: nothing lives at this path. */
export const notFound: Stage = async ({ response, path }) => {
  refuse(response, 404, "NotFound", `nothing at ${path}`);
};
