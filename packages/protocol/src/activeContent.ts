const ACTIVE_CONTENT =
  /^(s?x?html?|x?html\+xml|xht|svgz?|svg\+xml|xml|xsl|xslt|xslt?\+xml|xsd|rng|rdf|rdf\+xml|owl|mathml|mathml\+xml)$/i;

/** Whether browsers execute files with this extension or subtype of a media type, or scripts in them. */
export function isActiveContent(extension: string): boolean {
  return ACTIVE_CONTENT.test(extension);
}
