import type { Lifecycle } from "@purse/kernel";
import type { Apis } from "./apis.ts";
import type { Config } from "./config/loadConfig.ts";
import { openUrl } from "./config/openUrl.ts";
import { FILES } from "./modules/files/token.ts";
import { JOBS } from "./modules/jobs/token.ts";
import { MIGRATIONS } from "./modules/migrations/token.ts";
import { WEBHOOKS } from "./modules/webhooks/token.ts";
import type { Services } from "./services.ts";

/** Loads the cloud code once everything that it may call exists. */
export async function loadCloudCode(services: Services, apis: Apis): Promise<void> {
  const { chain, cloud, data, mail, modules } = services;
  const { mailer } = mail;
  await cloud.start({
    dispatch: apis.dispatch,
    userText: data.userText,
    download: modules.get(FILES).download,
    sendMail: mailer && ((message) => mailer.send(message)),
    jobs: modules.get(JOBS),
    callChain: (selector, method, params) => chain.request(chain.resolveChainId(selector), method, params),
    bulk: data.bulk,
    remote: modules.get(WEBHOOKS),
  });
}

/** Starts the services, then the port. Services that only some roles have are not started by the others. */
export async function startServices(
  config: Config,
  services: Services,
  apis: Apis,
  lifecycle: Lifecycle,
): Promise<void> {
  const { chain, auth, modules, live } = services;
  const { server, studio } = apis;
  const start = async (name: string, run: () => unknown, stop: () => unknown) => {
    lifecycle.onStop(name, stop);
    await lifecycle.start(name, run);
  };
  // Before anything reads objects.
  await lifecycle.start("migrations", () => modules.get(MIGRATIONS).run({ isDryRun: false }));
  await lifecycle.start("chains", chain.start);
  await start("accounts", auth.start, auth.stop);
  await modules.start();
  await lifecycle.start("studio", studio.start);
  lifecycle.onStop("open requests", async () => {
    await live.stop();
    await server.drained();
  });
  // Last, as nothing may fail any more once clients send requests.
  await start("port", server.listen, server.close);
  // Its streams would keep requests open.
  lifecycle.onStop("studio", studio.stop);
  studio.logSetup(openUrl(config, server.url));
}
