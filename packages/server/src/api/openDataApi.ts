import type { IncomingMessage } from "node:http";
import type { ChainService } from "@purse/chain";
import type { FastifyPluginAsync } from "fastify";
import type { Challenges } from "../auth/index.ts";
import type { Cloud } from "../cloud/index.ts";
import type { Config } from "../config/loadConfig.ts";
import type { AuthenticateDataRequest, DataApiRequest } from "../core/http/dataRequest.ts";
import { dataUrlOf } from "../core/http/serverUrl.ts";
import type { DataService } from "../data/dataService.ts";
import type { FileService } from "../modules/files/token.ts";
import type { Images } from "../modules/images/token.ts";
import type { IpfsService } from "../modules/ipfs/token.ts";
import { createChallengesApi } from "./challengesApi.ts";
import { createDataApi } from "./dataApi.ts";
import { createDataApiFunctions, createMissingFunctions, createSolanaFunctions } from "./dataApiFunctions.ts";
import { createDataDocs } from "./dataDocs.ts";
import type { HttpContext } from "./httpContext.ts";
import { createNftImages } from "./nftImages.ts";

export interface OpenDataApiDependencies {
  config: Config;
  http: HttpContext;
  chain: ChainService;
  data: DataService;
  files: Pick<FileService, "assertCanUpload">;
  ipfs: Pick<IpfsService, "fetchContent">;
  images: Images;
  cloud: Pick<Cloud, "define">;
  authenticate: AuthenticateDataRequest;
  challenges: Challenges;
  report(error: unknown, activity: string): void;
}

/** Creates the data API with its documentation and the images of NFTs, and defines its endpoints as cloud functions. */
export function openDataApi(dependencies: OpenDataApiDependencies): FastifyPluginAsync {
  const { config, http, chain, data, files, ipfs, images, cloud, authenticate, report } = dependencies;
  const requestOf = (message: IncomingMessage): DataApiRequest => ({
    ip: http.clientAddressOf(message),
    headers: message.headers,
    serverUrl: http.serverUrlOf(message),
  });
  const functions = [
    ...createSolanaFunctions(),
    ...createMissingFunctions(),
    ...createDataApiFunctions(chain.routes, data.userOf, authenticate, (auth) => files.assertCanUpload(auth)),
  ];
  for (const { name, run } of functions) cloud.define(name, run);
  const endpoints = createDataApi({
    service: chain,
    authenticate: (message) => authenticate(requestOf(message)),
    clientAddressOf: http.clientAddressOf,
    maxBodyBytes: config.maxBodyBytes,
    maxAnonymousBodyBytes: config.maxAnonymousBodyBytes,
    maxAnswerBytes: config.maxAnswerBytes,
    memory: http.bodyMemory,
    report: (error) => report(error, "the data API"),
  });
  const docs = createDataDocs(dataUrlOf(http.publicUrl));
  const nftImages = createNftImages({
    chain,
    images,
    clientAddressOf: http.clientAddressOf,
    fetchContent: ipfs.fetchContent,
    authenticate: (message) => authenticate({ ...requestOf(message), allowsWithoutKey: true }),
  });
  const challenges = createChallengesApi({
    challenges: dependencies.challenges,
    authenticate: (message) => authenticate(requestOf(message)),
    clientAddressOf: http.clientAddressOf,
    maxBodyBytes: config.maxAnonymousBodyBytes,
    memory: http.bodyMemory,
    report: (error) => report(error, "the auth API"),
  });
  return async (app) => {
    await app.register(challenges);
    await app.register(docs);
    await app.register(nftImages);
    await app.register(endpoints);
  };
}
