import { type ApiReply, type ApiRequest, jsonReply } from "../core/http/apiRoute.ts";
import { ValueReply } from "../core/http/valueReply.ts";
import type { Objects } from "../data/objects/objects.ts";

/**
 * The reply to a request for a user. SDKs replace their current user with the response: without the token, if it is the
 * user's own, they would be signed out.
 */
export async function userReply(
  objects: Pick<Objects, "get" | "getValue">,
  request: ApiRequest,
  userId: string,
): Promise<ApiReply> {
  const { auth, params, wantsValue } = request;
  const own = auth.kind === "user" && auth.userId === userId && { sessionToken: auth.sessionToken };
  if (wantsValue) {
    const { value, chars } = await objects.getValue(request, "_User", userId, params);
    return new ValueReply({ ...value, ...own }, chars);
  }
  const user = await objects.get(request, "_User", userId, params);
  // A user with everything that it includes may be long.
  return jsonReply(own ? `${user.slice(0, -1)},${JSON.stringify(own).slice(1)}` : user);
}
