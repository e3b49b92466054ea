import { Address } from "@purse/ui";
import { useContext } from "react";
import { useAddressLabel } from "../../wallet/useAddressLabel.ts";
import { useAddressBook } from "../send/useAddressBook.ts";
import { CalledChain } from "./CalledChain.ts";

/** An address that a contract returned, whole, with its name if there is one. */
export function AddressValue({ address }: { address: string }) {
  const chain = useContext(CalledChain);
  return (
    <span className="address-value">
      <Address address={address} copy />
      {chain !== undefined && <AddressName address={address.toLowerCase()} chain={chain} />}
    </span>
  );
}

function AddressName({ address, chain }: { address: string; chain: string }) {
  const { contacts } = useAddressBook();
  const contact = contacts.find((each) => each.address.toLowerCase() === address)?.name.slice(0, 40);
  const label = useAddressLabel(address, chain, contact);
  return label === undefined ? null : <bdi className="small soft">{label}</bdi>;
}
