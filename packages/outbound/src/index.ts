export { BlockedAddressError, OutboundRequestError, PrivateAddressError } from "./addressGuard.ts";
export { type FetchUrlOptions, fetchUrl } from "./fetchUrl.ts";
export { isPublicAddress } from "./publicAddress.ts";
export { type OutboundRequestOptions, type OutboundResponse, sendRequest } from "./sendRequest.ts";
