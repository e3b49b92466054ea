const WEB_ORIGIN =
  /^https?:\/\/(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(?:[1-9]\d{0,4}|\*))?$/;
const ANDROID_ORIGIN = /^android:apk-key-hash:[A-Za-z0-9_-]{20,64}$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
const IP_ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;

/** Parses comma-separated origins of pages and Android apps. Throws Error that says what is allowed. */
export function passkeyOrigins(value: string): string[] {
  const origins = value.split(",").map((origin) => origin.trim());
  const normalized = origins.map((origin) => (ANDROID_ORIGIN.test(origin) ? origin : origin.toLowerCase()));
  if (normalized.every((origin) => WEB_ORIGIN.test(origin) || ANDROID_ORIGIN.test(origin))) return normalized;
  throw new Error(
    "it must be origins such as https://example.org, http://localhost:* or android:apk-key-hash:…, separated by commas",
  );
}

/** Parses the domain that passkeys belong to. Throws Error for URLs, ports and IP addresses, which browsers refuse. */
export function passkeyDomain(value: string): string {
  const domain = value.trim().toLowerCase();
  if (DOMAIN.test(domain) && !IP_ADDRESS.test(domain)) return domain;
  throw new Error("it must be a domain such as example.org, without protocol and port");
}
