import { Button, EmptyState, useTranslation } from "@purse/ui";
import { Link, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Abi, AbiFunction } from "viem";
import type { AppChain } from "../../settings.ts";
import { functionsOf, signatureOf } from "./abi.ts";
import { Call } from "./Call.tsx";
import type { RpcRequest } from "./contractInfo.ts";
import "./Contract.css";

type Kind = "read" | "write";

export interface FunctionsProps {
  abi: Abi;
  chain: AppChain;
  address: string;
  request: RpcRequest;
  onCalled: () => void;
}

/** Lists the functions of a contract and shows the selected one. */
export function Functions({ abi, chain, address, request, onCalled }: FunctionsProps) {
  const { t } = useTranslation();
  const { fn } = useSearch({ from: "/contract" });
  const [filter, setFilter] = useState("");
  const { reads, writes } = useMemo(() => functionsOf(abi), [abi]);
  const chosen = [...reads, ...writes].find((item) => signatureOf(item) === fn);
  const groups: { kind: Kind; label: string; items: AbiFunction[] }[] = [
    { kind: "read", label: t("Read"), items: reads },
    { kind: "write", label: t("Write"), items: writes },
  ];
  // On phones, one kind is listed at a time.
  const [chosenKind, setKind] = useState<Kind>();
  const kind =
    chosenKind ?? (reads.length === 0 || writes.some((item) => item === chosen) ? "write" : "read");
  return (
    <div className="contract">
      <nav
        className="card stack tight functions"
        aria-label={t("Functions")}
        data-shown={filter === "" ? kind : undefined}
      >
        <div className="function-kinds row">
          {groups.map((group) => (
            <Button
              key={group.kind}
              small
              aria-pressed={group.kind === kind}
              onClick={() => setKind(group.kind)}
            >
              {group.label} ({group.items.length})
            </Button>
          ))}
        </div>
        <input
          className="filter"
          aria-label={t("Filter functions")}
          placeholder={t("Filter")}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        {groups.map(({ kind: of, label, items }) => (
          <div key={of} data-kind={of}>
            <h2 className="small soft">{label}</h2>
            <ul>
              {items
                .map((item) => ({ name: item.name, signature: signatureOf(item) }))
                .filter(({ signature }) => signature.toLowerCase().includes(filter.toLowerCase()))
                .map(({ name, signature }) => (
                  <li key={signature}>
                    <Link
                      to="/contract"
                      search={(before) => ({ address: before.address, chain: before.chain, fn: signature })}
                      resetScroll={false}
                      title={signature}
                    >
                      <span className="strong">{name}</span>
                      <span className="soft small">{signature.slice(name.length)}</span>
                    </Link>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      {chosen ? (
        <Call
          key={signatureOf(chosen)}
          item={chosen}
          abi={abi}
          chain={chain}
          address={address}
          request={request}
          onCalled={onCalled}
        />
      ) : (
        <div className="card">
          <EmptyState title={t("Select a function")}>
            {fn
              ? t("The ABI has no function {fn}.", { fn })
              : t("Read functions run instantly; write functions need your wallet.")}
          </EmptyState>
        </div>
      )}
    </div>
  );
}
