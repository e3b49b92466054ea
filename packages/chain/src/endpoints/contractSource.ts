import { ErrorCode, ProtocolError } from "@purse/protocol";
import { notFound } from "../model/requestErrors.ts";
import type { ChainContext } from "./chainContext.ts";
import type { Handlers } from "./routes.ts";

/** Verified sources from the operator's repositories. */
export function contractSourceHandlers(
  selectChain: (selector: unknown) => Pick<ChainContext, "config" | "sources">,
) {
  return {
    getContractSource: async ({ chain: selector, address }) => {
      const { sources, config } = selectChain(selector);
      if (!sources.isConfigured)
        throw notFound(`this server has no repository of verified sources for ${config.name}`);
      const source = await sources.of(address).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new ProtocolError(
          ErrorCode.OTHER_CAUSE,
          `the repository of verified sources cannot be read: ${reason}`,
          503,
        );
      });
      if (!source) throw notFound(`${address} has no verified source here`);
      return {
        address,
        match: source.match,
        name: source.name,
        language: source.language,
        compiler_version: source.compilerVersion,
        evm_version: source.evmVersion,
        optimizer_runs: source.optimizerRuns,
        abi: source.abi,
        files: source.files,
      };
    },
  } satisfies Partial<Handlers>;
}
