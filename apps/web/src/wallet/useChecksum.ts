import { useEffect, useState } from "react";

/** Returns a function that adds the EIP-55 checksum. Until its code is loaded, addresses are returned unchanged. */
export function useChecksum(): (address: string) => string {
  const [checksum, setChecksum] = useState<(address: string) => string>();
  useEffect(() => {
    let isMounted = true;
    void import("./checksum.ts").then((module) => isMounted && setChecksum(() => module.checksumOf));
    return () => {
      isMounted = false;
    };
  }, []);
  return checksum ?? ((address) => address);
}
