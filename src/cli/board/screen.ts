import { type Screen, visible } from '../terminal.js';

/** Parts of the standard streams that a screen uses. */
export interface ScreenStreams {
  readonly input: Pick<NodeJS.ReadStream, 'setRawMode' | 'resume' | 'pause' | 'on' | 'off'>;
  readonly output: Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>;
}

/** Takes over a terminal. `onKey` gets each key; Ctrl-C is `\x03`, because it sends no signal until `close()`. */
export function openScreen({ input, output }: ScreenStreams, onKey: (key: string) => void): Screen {
  const read = (chunk: Buffer) => onKey(chunk.toString());
  input.setRawMode(true);
  input.on('data', read);
  input.resume();
  output.write(enter);
  return {
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
    draw: (lines) => {
      const fitting = lines.slice(0, output.rows).map((line) => cut(line, output.columns));
      output.write(`${home}${fitting.join(`${clearLine}\r\n`)}${clearLine}${clearBelow}`);
    },
    close: () => {
      input.off('data', read);
      input.setRawMode(false);
      input.pause();
      output.write(leave);
    },
  };
}

function cut(line: string, columns: number): string {
  return [...visible(line).replace(/\s/g, ' ')].slice(0, columns).join('');
}

// The alternate screen, without cursor and line wrap: wide characters can make a line longer than it seems.
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const leave = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const home = '\x1b[H';
const clearLine = '\x1b[K';
const clearBelow = '\x1b[J';
