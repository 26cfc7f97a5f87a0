/** Begins the page. */
import { render } from 'preact';
import './style.css';
import { Shell } from './shell.js';

const place = document.getElementById('page');
if (place !== null) render(<Shell />, place);
