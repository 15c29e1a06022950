/**
 * File systems of Linux, by the number that statfs(2) gives them, on which a journal isn't safe: those of a network, where
 * a sync, a lock or an append may mean less than here, and those that a program serves, which may be anything.
 */
const unsafe = new Map<number, string>([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'kafs'],
  [0x01021997, '9p'],
  [0x00c36400, 'ceph'],
  [0x0bd00bd0, 'lustre'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x73757245, 'coda'],
  [0x564c, 'ncp'],
  [0x47504653, 'gpfs'],
  [0x19830326, 'beegfs'],
  [0x20030528, 'orangefs'],
  [0x013111a8, 'ibrix'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
  [0x65735546, 'fuse'],
]);

/** The name of a file system that is not safe; undefined for every other. */
export function unsafeFileSystem(type: number): string | undefined {
  return unsafe.get(type >>> 0);
}

/** By which they can be allowed. */
export const unsafeNames: readonly string[] = [...unsafe.values()];
