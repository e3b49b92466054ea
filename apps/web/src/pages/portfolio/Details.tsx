import type { AppChain } from "../../settings.ts";
import { Approvals } from "./Approvals.tsx";
import { History } from "./History.tsx";
import { Nfts } from "./Nfts.tsx";
import { type ChainQuery, loadedHoldings } from "./tokenRows.ts";
import { ValueChart } from "./ValueChart.tsx";

export interface DetailsProps {
  address: string;
  chains: AppChain[];
  holdings: readonly ChainQuery[];
  isOwn: boolean;
}

/** The sections of a portfolio below its tokens. */
export function Details({ address, chains, holdings, isOwn }: DetailsProps) {
  const assets = loadedHoldings(holdings).flatMap((each) => each.assets);
  return (
    <>
      <ValueChart address={address} holdings={holdings} />
      <Nfts address={address} chains={chains} isOwn={isOwn} />
      <Approvals address={address} chains={chains} isOwn={isOwn} />
      <History address={address} chains={chains} assets={assets} />
    </>
  );
}
