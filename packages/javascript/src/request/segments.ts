/** Whether values make a dot segment of a path, alone or with what stands around them. */
export function makesDots(template: string, url: string): boolean {
  return dotSegments(url) > dotSegments(template);
}

/** How many segments of a path, or of its template, a URL parser takes for steps, percent-encoded ones too. */
function dotSegments(url: string): number {
  return url.split(/{?[?#]/)[0]!.split("/").filter((part) => /^(\.|%2e){1,2}$/i.test(part)).length;
}
