import { type CallContext, identify, type Outcome, VehicleAuctionError } from './base.js';
import { thrownCode, thrownMessage } from './thrown.js';

/**
 * Why a file or folder can't be used:
 * - `not_found`: the file or a folder of its path does not exist; `no_permission`: this process may not read or write it;
 * - `full`: no space left; `wrong_path`: the path is too long, or a folder where a file is expected;
 * - `unavailable`: any other failure, such as a broken disk or too many open files.
 */
export type FileFault = 'not_found' | 'no_permission' | 'full' | 'wrong_path' | 'unavailable';

/** Codes of the file system, by fault. */
const codes: Readonly<Record<Exclude<FileFault, 'unavailable'>, readonly string[]>> = {
  not_found: ['ENOENT', 'ENOTDIR'],
  no_permission: ['EACCES', 'EPERM', 'EROFS'],
  full: ['ENOSPC', 'EDQUOT', 'EFBIG'],
  wrong_path: [
    'EISDIR',
    'EEXIST',
    'ENOTEMPTY',
    'ENAMETOOLONG',
    'ELOOP',
    'EINVAL',
    'EXDEV',
    'ERR_INVALID_ARG_VALUE',
  ],
};

const nextSteps: Readonly<Record<FileFault, string>> = {
  not_found: 'Create the folder or choose another path, then call again.',
  no_permission: 'Give this process permission to the file and its folder, then call again.',
  full: 'Make room on the disk, then call again.',
  wrong_path: 'Choose another path, then call again.',
  unavailable: 'Check the disk and the limit of open files, then call again.',
};

/** Why the file system refused; undefined for an error that is not of the file system. */
export function fileFaultOf(thrown: unknown): FileFault | undefined {
  const code = thrownCode(thrown);
  if (code === undefined) return undefined;
  for (const fault of ['not_found', 'no_permission', 'full', 'wrong_path'] as const) {
    if (codes[fault].includes(code)) return fault;
  }
  return /^E[A-Z0-9]+$/.test(code) ? 'unavailable' : undefined;
}

/** A file or folder of this machine can't be read or written. */
export class FileError extends VehicleAuctionError {
  static {
    identify(this, 'FileError');
  }

  declare readonly reason: FileFault;
  /** The file or folder, as the call used it. */
  readonly path: string;

  constructor(
    path: string,
    details: CallContext & { readonly reason: FileFault; readonly outcome: Outcome; readonly cause: unknown },
  ) {
    super({
      ...details,
      what: `"${path}" can't be used: ${thrownMessage(details.cause)}.`,
      nextStep: nextSteps[details.reason],
    });
    this.path = path;
  }
}

/** Runs work on a file or folder, and makes errors of the file system a `FileError`. */
export async function onDisk<T>(
  path: string,
  context: CallContext & { readonly outcome: Outcome },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof VehicleAuctionError) throw cause;
    throw new FileError(path, { ...context, reason: fileFaultOf(cause) ?? 'unavailable', cause });
  }
}
