import type { FastifyHelmetOptions } from "@fastify/helmet";
import type { PageSources } from "../config/walletServices.ts";

/** The security headers of pages, whose scripts are files of this server. They may use `sources` besides it. */
export function pageHeaders({ connect, frames, images }: PageSources): FastifyHelmetOptions {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        connectSrc: ["'self'", ...connect],
        imgSrc: ["'self'", "data:", "blob:", ...images],
        ...(frames.length > 0 && { frameSrc: ["'self'", ...frames] }),
        styleSrc: ["'self'", "'unsafe-inline'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        formAction: ["'self'"],
      },
    },
    referrerPolicy: { policy: "no-referrer" },
    // Wallets open windows that answer the page.
    crossOriginOpenerPolicy: false,
    // The operator's proxy decides whether a host always uses https.
    strictTransportSecurity: false,
  };
}
