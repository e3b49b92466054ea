export { isPublicAddress } from "./addresses.ts";
export { BlockedAddressError, OutboundRequestError } from "./addressGuard.ts";
export { type FetchUrlOptions, fetchUrl } from "./fetchUrl.ts";
export { type OutboundRequestOptions, type OutboundResponse, sendRequest } from "./sendRequest.ts";
