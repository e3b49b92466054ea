import { Code, Switch, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { decodeInput } from "./abi/decode.ts";
import { ownAbi } from "./abi/ownAbi.ts";
import { DecodedValues } from "./DecodedValues.tsx";
import { useExplorer } from "./ExplorerContext.ts";

/** Longer inputs are truncated; the copy button copies all. */
const MAX_CHARACTERS = 20_000;

/** The input data of a transaction, decoded if the function is known. */
export function CallInput({ input, to }: { input: string; to: string | undefined }) {
  const { t } = useTranslation();
  const [isRaw, setIsRaw] = useState(false);
  const { hexId } = useExplorer().chain;
  if (input === "0x" || input === "") return null;
  const creates = to === undefined;
  const decoded = creates ? undefined : decodeInput(input, ownAbi(hexId, to));
  return (
    <section className="card stack tight" aria-labelledby="input">
      <div className="row spread">
        <h2 id="input">{creates ? t("Contract creation code") : t("Input data")}</h2>
        {decoded && <Switch label={t("Raw")} checked={isRaw} onChange={setIsRaw} />}
      </div>
      {decoded && !isRaw ? (
        <>
          <p className="mono signature">{decoded.signature}</p>
          <DecodedValues values={decoded.values} />
        </>
      ) : (
        <>
          {!decoded && !creates && (
            <p className="soft">
              {t("Unknown function. Showing raw input.")}{" "}
              <Link to="/contract" search={{ address: to, chain: hexId }}>
                {t("Paste contract ABI")}
              </Link>
            </p>
          )}
          <Code text={input.slice(0, MAX_CHARACTERS)} label={t("Input data")} wrap />
          {input.length > MAX_CHARACTERS && (
            <p className="soft small">
              {t("{n, plural, one {# more byte not shown} other {# more bytes not shown}}", {
                n: (input.length - MAX_CHARACTERS) / 2,
              })}
            </p>
          )}
        </>
      )}
    </section>
  );
}
