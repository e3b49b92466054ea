import { z } from "zod";
import { address, choice, domain, files } from "../parameterValues.ts";
import { SCHEMAS } from "../schemas.ts";
import type { EndpointRows } from "./row.ts";

/** Endpoints without a chain, or without a choice of it, in match order. */
export const serviceEndpoints = {
  resolveAddress: {
    group: "resolve",
    method: "GET",
    path: "/resolve/{address}/reverse",
    parameters: z.object({ address: address.describe("Address of a wallet or contract.") }),
    response: SCHEMAS.ens,
    weight: "1",
    about: "Returns the primary ENS name of an address.",
  },
  resolveENSDomain: {
    group: "resolve",
    method: "GET",
    path: "/resolve/ens/{domain}",
    parameters: z.object({ domain: domain.describe("Name such as vitalik.eth.") }),
    response: SCHEMAS.resolve,
    weight: "1",
    about: "Resolves an ENS name to an address.",
  },
  resolveDomain: {
    group: "resolve",
    method: "GET",
    path: "/resolve/{domain}",
    parameters: z.object({
      domain: domain.describe("Name such as brad.crypto."),
      currency: choice(["eth", "0x1"]).prefault("eth").describe("Currency of the requested address."),
    }),
    response: SCHEMAS.resolve,
    weight: "1",
    about: "Resolves a domain to an address.",
  },
  uploadFolder: {
    group: "storage",
    method: "POST",
    path: "/ipfs/uploadFolder",
    parameters: z.object({ data: files.describe("Files with a path and base64 text or JSON as content.") }),
    body: { parameter: ["data", "abi"] },
    response: z.array(SCHEMAS.ipfsFile),
    weight: "20",
    about: "Adds files to IPFS as one directory.",
  },
  web3ApiVersion: {
    group: "info",
    method: "GET",
    path: "/web3/version",
    parameters: z.object({}),
    response: SCHEMAS.web3version,
    weight: "0",
    about: "Version of the API.",
  },
  endpointWeights: {
    group: "info",
    method: "GET",
    path: "/info/endpointWeights",
    parameters: z.object({}),
    response: z.array(SCHEMAS.endpointWeight),
    weight: "0",
    about: "Returns the rate limit cost of each endpoint.",
  },
} as const satisfies EndpointRows;
