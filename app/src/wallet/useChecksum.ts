import { useEffect, useState } from "react";

/** EIP-55 spelling, once the code for it has come; until then addresses stay as they were typed. */
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
