import { Identicon, shortAddress } from "@purse/ui";
import { useAddressBook } from "../pages/send/useAddressBook.ts";
import { checksumOf } from "./checksum.ts";
import { useAddressLabel } from "./useAddressLabel.ts";

/** A short address with its name, if there is one. The whole address is in its title. */
export function NamedAddress({ address, chain }: { address: string; chain: string }) {
  const { contacts } = useAddressBook();
  const lower = address.toLowerCase();
  const contact = contacts.find((each) => each.address.toLowerCase() === lower)?.name.slice(0, 40);
  const label = useAddressLabel(lower, chain, contact);
  const whole = checksumOf(lower);
  return (
    <span className="row tight-row" title={whole}>
      <Identicon address={lower} size={20} />
      <bdi aria-hidden="true" className={label ? "clip" : "address"}>
        {label ?? shortAddress(whole)}
      </bdi>
      <span className="visually-hidden">
        {label} {whole}
      </span>
    </span>
  );
}
