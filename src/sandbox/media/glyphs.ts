/** Pixels of one letter. */
export const glyphSize = { width: 3, height: 5 } as const;

/** A character and its five rows from the top, three bits each: 7 is a full row, 4 its left pixel. */
const table = `
  A25755 B65656 C34443 D65556 E74647 F74644 G34553 H55755 I72227 J11152 K55655 L44447 M57755
  N65555 O25552 P65644 Q25563 R65655 S34216 T72222 U55557 V55552 W55775 X55255 Y55222 Z71247
  075557 126227 261247 361216 455711 574616 634757 771122 875757 975716 -00700 #57575`;

/** The rows of each character that there is. */
export const glyphs: ReadonlyMap<string, readonly number[]> = new Map(
  table
    .trim()
    .split(/\s+/)
    .map(([char = '', ...rows]) => [char, rows.map(Number)]),
);
