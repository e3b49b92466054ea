import { useState } from "react";
import { addressGroups, shortAddress } from "../money/address.ts";
import { Button } from "./Button.tsx";
import { Identicon } from "./Identicon.tsx";

export interface AddressProps {
  address: string;
  /** For places with little room: the whole address stays in the title and for screen readers. */
  short?: boolean;
  copy?: boolean;
}

export function Address({ address, short, copy }: AddressProps) {
  return (
    <span className="row" style={{ gap: "0.5rem", flexWrap: "nowrap" }}>
      <Identicon address={address} size={short ? 20 : 28} />
      {short ? (
        <span className="address" title={address}>
          <span aria-hidden="true">{shortAddress(address)}</span>
          <span className="visually-hidden">{address}</span>
        </span>
      ) : (
        <span className="address">
          {addressGroups(address).map(({ at, text }) => (
            <span className="group" key={at}>
              {text}
            </span>
          ))}
        </span>
      )}
      {copy && <CopyButton text={address} label="Copy address" />}
    </span>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  }
  return (
    <Button small look="quiet" onClick={copy} aria-label={label}>
      <span role="status">{copied ? "Copied" : "Copy"}</span>
    </Button>
  );
}
