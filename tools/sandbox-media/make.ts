import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/**
 * Makes the files that the sandbox serves as photos and documents of lots: drawn here, so that they are nobody else's.
 * `npx tsx tools/sandbox-media/make.ts` writes them; it needs a Chromium (CHROMIUM_PATH, or /usr/bin/chromium).
 */
const folder = fileURLToPath(new URL('../../src/sandbox/assets/media/', import.meta.url));

const car = (sky: string, body: string) => `
  <svg width="480" height="320" viewBox="0 0 480 320" xmlns="http://www.w3.org/2000/svg">
    <rect width="480" height="200" fill="${sky}"/><rect y="200" width="480" height="120" fill="#94928e"/>
    <ellipse cx="240" cy="262" rx="190" ry="10" fill="#68665f"/>
    <path d="M62 234 62 214 72 188 142 176 192 134 302 132 350 176 412 188 420 234z" fill="${body}"/>
    <path d="M200 144h44v32h-80z M254 143l42-1 35 34h-77z" fill="#3a4e60"/>
    <circle cx="140" cy="232" r="28" fill="#1a1a1e"/><circle cx="346" cy="232" r="28" fill="#1a1a1e"/>
    <circle cx="140" cy="232" r="14" fill="#babec4"/><circle cx="346" cy="232" r="14" fill="#babec4"/>
  </svg>`;

const report = `
  <h1>Inspection report</h1>
  <p>Invented by a sandbox: no such vehicle was inspected.</p>
  <p>Engine starts. Body with minor dents. Tyres worn. Papers to follow.</p>`;

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const page = await browser.newPage({ viewport: { width: 480, height: 320 } });
  const photo = async (name: string, sky: string, body: string) => {
    await page.setContent(`<style>body{margin:0}</style>${car(sky, body)}`);
    const isJpeg = name.endsWith('.jpg');
    await page.screenshot({ path: folder + name, ...(isJpeg && { type: 'jpeg', quality: 60 }) });
  };
  await photo('front.jpg', '#a8cbe8', '#b03030');
  await photo('side.jpg', '#e0d8c8', '#2f6f4f');
  await photo('rear.png', '#a8cbe8', '#305fb0');
  await page.setContent(report);
  await page.pdf({ path: `${folder}inspection.pdf`, width: '148mm', height: '105mm' });
} finally {
  await browser.close();
}
