/** Content security policies of single-page applications, and which of their files never change. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { policyFor } from '../../server/pages/spa-policy.js';
import { isHashed } from '../../server/pages/spa.js';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const scriptsOf = (page: string) => /script-src ([^;]*)/.exec(policyFor(page))?.[1];

describe('the content security policy of a page', () => {
  it('lets nothing inline run where there is none', () => {
    expect(scriptsOf('<!doctype html><script src="main.js"></script>')).to.equal("'self'");
    expect(policyFor('')).to.include("default-src 'none'").and.to.include("frame-ancestors 'none'");
    expect(policyFor('')).not.to.include("script-src 'self' 'unsafe");
  });

  it('lets the scripts of the page run, and no others', () => {
    const page = '<script>start(1 < 2)</script>\n<SCRIPT type="module">import "./x.js"</SCRIPT ><script></script>';
    expect(scriptsOf(page)).to.equal(`'self' ${hashOf('start(1 < 2)')} ${hashOf('import "./x.js"')}`);
  });

  it('names what a browser hashes: lines end as a page has them after it is read', () => {
    expect(scriptsOf('<script>a\r\nb</script>')).to.equal(`'self' ${hashOf('a\nb')}`);
  });

  it('lets the handlers of its elements run, with what they mean', () => {
    const page = `<link rel="stylesheet" href="s.css" media="print" onload="this.media='all'">
      <body onload='go(&quot;x&quot;)'>`;
    expect(scriptsOf(page)).to.equal(`'self' 'unsafe-hashes' ${hashOf("this.media='all'")} ${hashOf('go("x")')}`);
  });

  it('takes no script out of a comment, and no handler out of a script', () => {
    expect(scriptsOf('<!-- <script>a()</script> <b onclick="c()"> -->')).to.equal("'self'");
    const script = `write('<b onclick="c()">')`;
    expect(scriptsOf(`<script>${script}</script>`)).to.equal(`'self' ${hashOf(script)}`);
  });
});

describe('a file of which the name changes with its content', () => {
  for (const name of [
    'main-5A7XQ2LM.js',
    'chunk-ZZKIZVXB.js',
    'polyfills-FFHMD2TL.js',
    'styles-36AW6TKX.css',
    'main.3f2a1bd29c8e77aa.js',
    'runtime.0123456789abcdef0123.js',
    'assets/index-BxY12_a3.js',
    'assets/media/fa-solid-900-3B3ZZL5R.woff2',
  ])
    it(`is ${name}`, () => {
      expect(isHashed(name)).to.equal(true);
    });
  for (const name of [
    'index.html',
    'main.js',
    'favicon.ico',
    'jquery-compiled.js',
    'app.component.js',
    'screenshot-20261122.png',
    'logo-FULLSIZE.png',
    'assets/en-translations.json',
    'service-worker.js',
    'service-background.js',
    'version-1.12.0.js',
    'robots.txt',
  ])
    it(`is not ${name}`, () => {
      expect(isHashed(name)).to.equal(false);
    });
});
