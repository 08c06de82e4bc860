import { ApiError } from "kopf-ts";

/** How the API server answered a request: `405 System Project cannot be deleted`, without the name of the webhook; `accepted` when it did as asked. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return "accepted";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const told = error.status?.message ?? error.message;
    return `${error.code} ${told.replace(/^admission webhook "[^"]+" denied the request: /, "")}`;
  }
}
