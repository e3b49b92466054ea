import type { ChainConfig, ChainService } from "@purse/chain";
import type { Config } from "../config/loadConfig.ts";
import type { EventBus } from "../core/eventBus.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import type { Logger } from "../core/logger.ts";
import type { MailService } from "../core/mail.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { AuthTriggers } from "../data/objects/triggers.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { Store } from "../database/store.ts";
import { AccountLimits } from "./accountLimits.ts";
import { type AuthService, createAuthService } from "./index.ts";
import { onWalletsLinked } from "./linkedWallets.ts";
import type { Passwords } from "./password.ts";

export interface OpenAuthDependencies {
  config: Config;
  /** URL of the Parse API. */
  publicUrl: string;
  /** Hosts of the sites that may request wallet signatures. */
  siweDomains: readonly string[];
  store: Store;
  schemas: Schemas;
  objects: Objects;
  triggers: AuthTriggers;
  events: EventBus;
  limiter: RateLimiter;
  passwords: Passwords;
  mail: MailService;
  chain: ChainService;
  chains: readonly ChainConfig[];
  logger: Logger;
}

/** Creates the account service of a server and loads its sign-in providers. */
export async function openAuthService(dependencies: OpenAuthDependencies): Promise<AuthService> {
  const { config, store, schemas, events, chain, chains, mail } = dependencies;
  const service = createAuthService({
    store,
    passwords: dependencies.passwords,
    schemaOf: (className) => schemas.require(className),
    objects: dependencies.objects,
    config: {
      ...config,
      policy: config.passwordPolicy,
      // SDKs generate 36 characters; tests of applications use arbitrary ids.
      minAnonymousIdLength: config.environment === "development" || config.compatibility === "parse" ? 1 : 16,
      publicUrl: () => dependencies.publicUrl,
      siweDomains: dependencies.siweDomains,
    },
    mailer: mail.mailer,
    mailTemplates: mail,
    limits: new AccountLimits(dependencies.limiter, config.accountLimits),
    triggers: dependencies.triggers,
    events,
    clock: store.now,
    logger: dependencies.logger,
    chains: {
      ids: chains.map(({ id }) => id),
      idOf: chain.resolveChainId,
      call: (chainId, call, deadlineMs) => chain.call(chainId, call, AbortSignal.timeout(deadlineMs)),
    },
    balances: chain,
  });
  await service.ready();
  // A chain of which only the wallets of users are indexed starts with those that users link.
  const walletIndexedChains = chains.filter(({ scope }) => scope === "wallets");
  if (walletIndexedChains.length > 0) {
    onWalletsLinked(events, (addresses) => {
      for (const { id } of walletIndexedChains) chain.watch(id, addresses);
    });
  }
  return service;
}
