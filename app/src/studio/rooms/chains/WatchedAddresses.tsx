import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Field } from "../../../design/Field.tsx";
import { Status } from "../../../design/Status.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered } from "../parts/Room.tsx";
import type { Chain } from "./ChainTable.tsx";

interface Watched {
  address: string;
  /** How much of its history has been read, 0 to 100. */
  percent: number;
}

const EVERY_MS = 5_000;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Of a chain whose index holds known wallets only, the wallets. */
export function WatchedAddresses({ chain }: { chain: Chain }) {
  const { t, count } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const path = `/chains/${chain.chain}/addresses`;
  const watched = useAnswer<{ results: Watched[]; count: number }>(path, { every: EVERY_MS });
  const [address, setAddress] = useState("");
  const add = useChange(() => studio.post(path, { address: address.trim() }), t("The wallet is watched."));
  const isAddress = ADDRESS.test(address.trim());
  return (
    <>
      <h3>{t("Known wallets")}</h3>
      <p className="soft small">
        {t("Wallets of users are known by themselves, and every one that the data service is asked about.")}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isAddress) add.mutate(undefined, { onSuccess: () => setAddress("") });
        }}
      >
        <Field
          label={t("Watch an address")}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          problem={
            address !== "" && !isAddress
              ? t("An address has 0x and 40 digits and letters from a to f.")
              : undefined
          }
          autoComplete="off"
          spellCheck={false}
          after={
            <Button type="submit" disabled={!may || !isAddress} busy={add.isPending}>
              {t("Watch")}
            </Button>
          }
        />
      </form>
      {add.error && <ErrorState error={add.error} />}
      <Answered answer={watched} label={t("Loading the known wallets")}>
        {({ results, count: all }) => (
          <>
            <p className="soft small number">{count(all, "{n} wallet is known", "{n} wallets are known")}</p>
            <Table
              caption={t("Known wallets")}
              rows={results}
              rowKey={(each) => each.address}
              empty={<p className="soft">{t("No wallet is known yet.")}</p>}
              columns={[
                { key: "address", label: t("Address"), cell: (each) => <code>{each.address}</code> },
                {
                  key: "percent",
                  label: t("History"),
                  cell: ({ percent }) =>
                    percent >= 100 ? (
                      <Status kind="ok">{t("Read")}</Status>
                    ) : (
                      <Status kind="busy">{t("{percent} % read", { percent })}</Status>
                    ),
                },
              ]}
            />
          </>
        )}
      </Answered>
    </>
  );
}
