// Looks two plies ahead in connect four (on any board) and in mancala; in desconecta4, one. Java 17 alone is needed.
//
//     java TwoPly.java ws://HOST:8765/play ana [OPPONENT [GAME [GAMES]]]
//
// With your token in the variable PALESTRA_TOKEN you play as yourself, without it as a guest of the name "ana".
// It plays GAMES matches against OPPONENT and leaves; without GAMES it plays one, then stays and waits for others.

import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

public class TwoPly implements WebSocket.Listener {
    static final Set<Integer> FOR_GOOD = Set.of(1000, 1008, 1009, 4003, 4004, 4009);
    static final Random RANDOM = new Random();
    static final HttpClient HTTP = HttpClient.newHttpClient();

    /** The server pings every 5 seconds: who hears nothing for so long has lost it. */
    static final int SILENCE_S = 15;
    static final String STAYS = "Waiting for matches; Ctrl-C ends this program.";

    final String url, token, name, opponent, game;
    final Integer games;
    String session;
    int over; // matches that have ended
    StringBuilder text = new StringBuilder();
    CompletableFuture<Integer> closed;
    volatile long heardAt;
    volatile boolean mayAsk; // nothing that was sent since the last word from the server waits for an answer

    TwoPly(String url, String token, String name, String opponent, String game, Integer games) {
        this.games = games;
        this.url = url;
        this.token = token;
        this.name = name;
        this.opponent = opponent;
        this.game = game;
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length > 0 && args[0].equals("--test")) {
            test();
            return;
        }
        if (args.length > 0 && !isAddress(args[0])) {
            System.err.println(args[0] + " is not the address of a server: write it like ws://192.168.1.20:8765");
            System.exit(1);
        }
        if (args.length > 4 && !args[4].matches("[1-9]\\d{0,8}")) {
            System.err.println("GAMES is a whole number from 1 on, not " + args[4]);
            System.exit(1);
        }
        String token = System.getenv().getOrDefault("PALESTRA_TOKEN", "");
        new TwoPly(
                args.length > 0 ? args[0].replaceFirst("^(wss?://[^/]+)/?$", "$1/play") : "ws://127.0.0.1:8765/play",
                token,
                args.length > 1 ? args[1] : "two-ply-java",
                args.length > 2 ? args[2] : null,
                args.length > 3 ? args[3] : "connect4",
                args.length > 4 ? Integer.valueOf(args[4]) : null).run();
    }

    static boolean isAddress(String text) {
        try {
            URI uri = new URI(text);
            return text.matches("wss?://(?!HOST([:/]|$))[^#]+") && uri.getHost() != null && uri.getPort() < 65536;
        } catch (URISyntaxException error) {
            return false;
        }
    }

    // --- the search ---------------------------------------------------------------------------------------------

    /** A board of connect four: one list of cells, the bottom row first; 0 is empty, 1 and 2 are the players. */
    record Board(int rows, int cols, int[] cells, int last) {
        Board drop(int column, int player) {
            int[] after = cells.clone();
            int place = column;
            while (after[place] != 0) place += cols;
            after[place] = player;
            return new Board(rows, cols, after, place);
        }

        boolean open(int column) {
            return cells[(rows - 1) * cols + column] == 0;
        }

        /** Whether the piece that was dropped last completes a line of four. */
        boolean won() {
            int[][] directions = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
            for (int[] d : directions) if (run(d[0], d[1]) + run(-d[0], -d[1]) >= 3) return true;
            return false;
        }

        private int run(int down, int right) {
            int length = 0, r = last / cols + down, c = last % cols + right;
            while (r >= 0 && r < rows && c >= 0 && c < cols && cells[r * cols + c] == cells[last]) {
                length++;
                r += down;
                c += right;
            }
            return length;
        }
    }

    /** Mancala: for each seat its pits, the one beside the store first. `again`: who sowed last may sow again. */
    record Mancala(int[][] pits, int[] stores, boolean again) {
        Mancala sow(int me, int action) {
            int[][] after = {pits[0].clone(), pits[1].clone()};
            int[] stored = stores.clone(), mine = after[me], theirs = after[1 - me];
            int side = me, pit = action, last = mine.length - 1, seeds = mine[action];
            for (mine[action] = 0; seeds > 0; seeds--) {
                pit--;
                if (pit < -1 || pit == -1 && side != me) { // past a store
                    side = 1 - side;
                    pit = last;
                }
                if (pit == -1) stored[me]++;
                else after[side][pit]++;
            }
            if (pit >= 0 && side == me && mine[pit] == 1 && theirs[last - pit] > 0) {
                stored[me] += 1 + theirs[last - pit];
                mine[pit] = theirs[last - pit] = 0;
            }
            if (IntStream.of(mine).sum() == 0 || IntStream.of(theirs).sum() == 0) {
                for (int owner = 0; owner < 2; owner++) {
                    stored[owner] += IntStream.of(after[owner]).sum();
                    Arrays.fill(after[owner], 0);
                }
            }
            return new Mancala(after, stored, pit == -1);
        }

        double value(int action, int me) {
            Mancala mine = sow(me, action);
            return IntStream.range(0, mine.pits[1 - me].length)
                    .filter(reply -> !mine.again && mine.pits[1 - me][reply] > 0)
                    .mapToDouble(reply -> mine.sow(1 - me, reply).lead(me))
                    .min()
                    .orElse(mine.lead(me));
        }

        double lead(int me) {
            return stores[me] - stores[1 - me];
        }
    }

    @SuppressWarnings("unchecked")
    static int choose(Map<String, Object> turn) {
        Map<String, Object> state = (Map<String, Object>) turn.get("state");
        int me = number(turn.get("seat"));
        IntToDoubleFunction value;
        if (state.containsKey("pits")) {
            List<Object> rows = (List<Object>) state.get("pits");
            int[][] pits = {numbers(rows.get(0)), numbers(rows.get(1))};
            Mancala board = new Mancala(pits, numbers(state.get("stores")), false);
            value = action -> board.value(action, me);
        } else if (state.containsKey("cells")) {
            int[] cells = IntStream.of(numbers(state.get("cells"))).map(c -> c > 3 ? c - 3 : c).toArray(); // bombs
            Board board = new Board(number(state.get("rows")), number(state.get("cols")), cells, -1);
            value = action -> value(board, action, me + 1, state.containsKey("round"));
        } else {
            value = action -> RANDOM.nextDouble(); // another game
        }
        int best = -1;
        double most = Double.NEGATIVE_INFINITY;
        for (int action : numbers(turn.get("legal"))) {
            double found = value.applyAsDouble(action);
            if (found > most) {
                most = found;
                best = action;
            }
        }
        return best;
    }

    static double value(Board board, int column, int me, boolean desconecta4) {
        double offMiddle = Math.abs(column - (board.cols() - 1) / 2.0);
        if (desconecta4) {
            // A line loses, the middle is dangerous, and BOOM is for when nothing else is left.
            if (column == board.cols()) return -500;
            return board.drop(column, me).won() ? -1000 : offMiddle;
        }
        Board mine = board.drop(column, me);
        if (mine.won()) return 1000;
        for (int reply = 0; reply < board.cols(); reply++) {
            if (mine.open(reply) && mine.drop(reply, 3 - me).won()) return -1000;
        }
        return -offMiddle;
    }

    /** `java TwoPly.java --test` tries the search on a few positions. */
    static void test() {
        String above = ",0".repeat(35) + "]";
        String[][] cases = {
            {"\"rows\":6,\"cols\":7,\"cells\":[1,1,1,0,2,0,0" + above, "[0,1,2,3,4,5,6]", "3"},
            {"\"rows\":6,\"cols\":7,\"cells\":[2,2,2,0,0,1,0" + above, "[0,1,2,3,4,5,6]", "3"},
            {"\"round\":4,\"rows\":6,\"cols\":7,\"cells\":[0,1,1,1,0,0,0" + above, "[0,4,6]", "6"},
            {"\"pits\":[[2,0,0,1,0,0],[1,1,1,6,1,1]],\"stores\":[0,0]", "[0,3]", "3"},
        };
        for (String[] each : cases) {
            String turn = "{\"seat\":0,\"state\":{" + each[0] + "},\"legal\":" + each[1] + "}";
            int found = choose(new Json(turn).object());
            if (found != Integer.parseInt(each[2])) throw new AssertionError("it plays " + found + " on " + turn);
        }
        System.out.println("ok: it takes a win and stops one");
    }

    // --- the connection -----------------------------------------------------------------------------------------

    /** Plays until the server ends it for good; connects again when the connection breaks. */
    void run() throws InterruptedException {
        double pause = 1.0;
        while (true) {
            int code = 1006;
            try {
                closed = new CompletableFuture<>();
                WebSocket socket = HTTP.newWebSocketBuilder()
                        .connectTimeout(Duration.ofSeconds(10))
                        .subprotocols("palestra.v1.json")
                        .buildAsync(URI.create(url), this)
                        .join();
                code = untilClosed(socket);
                pause = 1.0;
            } catch (CompletionException error) {
                System.err.println(url + ": no connection (" + error.getCause() + ")");
            }
            if (FOR_GOOD.contains(code)) {
                System.out.println("closed: " + code);
                return;
            }
            Thread.sleep((long) (1000 * pause * (0.5 + RANDOM.nextDouble())));
            pause = Math.min(pause + 1, 3);
        }
    }

    /** The code with which it was closed; 1006 if it broke, or nothing came for too long. */
    int untilClosed(WebSocket socket) throws InterruptedException {
        while (true) {
            try {
                return closed.get(1, TimeUnit.SECONDS);
            } catch (TimeoutException notYet) {
                double silence = (System.nanoTime() - heardAt) / 1e9;
                if (mayAsk && silence > SILENCE_S * 2 / 3.0) { // a proxy may keep the server's pings to itself
                    mayAsk = false;
                    socket.sendPing(ByteBuffer.allocate(0));
                }
                if (silence < SILENCE_S) continue;
                System.err.println(url + ": silent for " + SILENCE_S + " s; connecting again");
                socket.abort();
                return 1006;
            } catch (ExecutionException error) {
                throw new IllegalStateException(error); // nobody completes it so
            }
        }
    }

    void heard() {
        heardAt = System.nanoTime();
        mayAsk = true;
    }

    @Override
    public CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) { // the answer goes by itself
        heard();
        socket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
        return onPing(socket, message);
    }

    @Override
    public void onOpen(WebSocket socket) {
        heard();
        text.setLength(0);
        String resume = session == null ? "null" : quoted(session);
        String who = name == null ? "null" : quoted(name);
        send(socket, "{\"type\":\"hello\",\"client\":\"two-ply-java/1\",\"token\":" + quoted(token)
                + ",\"name\":" + who + ",\"resume\":" + resume + "}");
        socket.request(1);
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
        heard();
        text.append(part);
        if (last) {
            Map<String, Object> message = new Json(text.toString()).object();
            text.setLength(0);
            received(socket, message);
        }
        socket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
        closed.complete(1006);
    }

    @SuppressWarnings("unchecked")
    void received(WebSocket socket, Map<String, Object> m) {
        switch ((String) m.get("type")) {
            case "welcome" -> {
                System.out.println("I am " + m.get("player"));
                boolean idle = ((List<Object>) m.get("matches")).isEmpty();
                if (opponent != null) {
                    // Again after a lost line: a challenge that waited went with it.
                    if (idle && over < (games == null ? 1 : games)) challenge(socket);
                } else if (session == null) {
                    System.out.println(STAYS);
                }
                session = (String) m.get("session");
            }
            case "match_start" ->
                send(socket, "{\"type\":\"ready\",\"match\":" + quoted((String) m.get("match")) + "}");
            case "turn" -> send(socket, "{\"type\":\"action\",\"match\":" + quoted((String) m.get("match"))
                    + ",\"ply\":" + number(m.get("ply")) + ",\"action\":" + choose(m) + "}");
            case "match_end" -> {
                System.out.println(
                        m.get("match") + ": " + m.get("returns") + " (" + m.get("reason") + ") " + m.get("detail"));
                ended(socket);
            }
            case "error" -> System.err.println(m.get("code") + ": " + m.get("message"));
            case "notice" -> System.out.println(m.get("message"));
            default -> { }
        }
    }

    void challenge(WebSocket socket) {
        send(socket, "{\"type\":\"challenge\",\"wait\":true,\"opponent\":" + quoted(opponent)
                + ",\"game\":" + quoted(game) + ",\"seat\":" + (games == null ? null : over % 2) + "}");
    }

    void ended(WebSocket socket) {
        over++;
        if (games == null || opponent == null) System.out.println(STAYS);
        else if (over < games) challenge(socket);
        else socket.sendClose(1000, "");
    }

    void send(WebSocket socket, String message) {
        mayAsk = false; // a ping behind an action may re-date it
        socket.sendText(message, true).join();
    }

    // --- JSON, as much of it as is needed -----------------------------------------------------------------------

    static int number(Object value) {
        return ((Double) value).intValue();
    }

    static int[] numbers(Object list) {
        return ((List<?>) list).stream().mapToInt(TwoPly::number).toArray();
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\');
            out.append(c < ' ' ? String.format("\\u%04x", (int) c) : c);
        }
        return out.append('"').toString();
    }

    static class Json {
        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        @SuppressWarnings("unchecked")
        Map<String, Object> object() {
            return (Map<String, Object>) value();
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        private Object value() {
            switch (next()) {
                case '{': {
                    Map<String, Object> map = new LinkedHashMap<>();
                    for (at++; next() != '}'; ) {
                        if (next() == ',') at++;
                        next();
                        String key = string();
                        next();
                        at++; // the colon
                        map.put(key, value());
                    }
                    at++;
                    return map;
                }
                case '[': {
                    List<Object> list = new ArrayList<>();
                    for (at++; next() != ']'; ) {
                        if (next() == ',') at++;
                        list.add(value());
                    }
                    at++;
                    return list;
                }
                case '"':
                    return string();
                default: {
                    int from = at;
                    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) at++;
                    String word = text.substring(from, at);
                    return word.equals("null") ? null
                            : word.equals("true") ? (Object) true : word.equals("false") ? (Object) false
                            : (Object) Double.valueOf(word);
                }
            }
        }

        private String string() {
            StringBuilder out = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\') {
                    c = text.charAt(++at);
                    if (c == 'u') {
                        c = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else {
                        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
                    }
                }
                out.append(c);
            }
            at++;
            return out.toString();
        }
    }
}
